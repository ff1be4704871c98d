/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * syslog: the files of a system log, where there is no journal, or on another machine's disk.
 *
 * logrotate(8) gives a file that is full another name: "syslog.1", or with its `dateext`
 * "syslog-20261122". Older ones are packed by gzip: "syslog.2.gz".
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <time.h>

struct syslog_file {
    char *path;         /* below root */
    const char *suffix; /* in path: what it has behind the log's own name */
    time_t changed;     /* when it was written last */
};

struct syslog {
    struct syslog_file *files; /* the oldest first */
    size_t count;
};

/* Finds the log that this host has, with what was written since a moment (NULL: ever). -errno with
 * a line in error; -ENOENT if it has none. The caller clears ret in every case. */
int syslog_find(const struct host *host, const time_t *since, struct syslog *ret,
                struct error *error) CHECKED __attribute__((nonnull(1, 3, 4)));
void syslog_clear(struct syslog *syslog) NONNULL;

/* What is in a file of it, as text: a descriptor, or -errno with a line in error. */
int syslog_open(const struct host *host, const struct syslog_file *file,
                struct error *error) CHECKED NONNULL;
