/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * syslog: the files of a system log, for hosts without a journal and for another machine's disk.
 *
 * logrotate(8) renames a file that is full to "syslog.1", or with `dateext` to "syslog-20261122".
 * It packs older files by gzip: "syslog.2.gz".
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <time.h>

struct syslog_file {
    char *path;         /* below root */
    const char *suffix; /* part of path: what follows the log's own name */
    time_t changed;     /* the time of the last write; 0: not known */
};

struct syslog {
    struct syslog_file *files; /* the oldest first */
    size_t count;
};

/* Finds the log files of this host that were written since a moment (NULL: ever), and those of
 * which that is not known, as they cannot be opened. Returns -errno with a line in error; -ENOENT
 * if there is no log. The caller clears ret in every case. */
int syslog_find(const struct host *host, const time_t *since, struct syslog *ret,
                struct error *error) CHECKED __attribute__((nonnull(1, 3, 4)));
void syslog_clear(struct syslog *syslog) NONNULL;

/* Opens a file of the log as text. Returns a descriptor, or -errno with a line in error. */
int syslog_open(const struct host *host, const struct syslog_file *file,
                struct error *error) CHECKED NONNULL;
