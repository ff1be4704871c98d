/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * journal: what systemd's journal tells of guests' vGPUs, as far as journalctl(1) shows it to this
 * user.
 *
 * There are two kinds of such lines: ours (lease/log.h), and libvirt's lines about a start that the
 * hook has refused.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <stdio.h>
#include <time.h>

/* Parts of a line. NULL: the line does not have that part. */
struct event {
    time_t time;
    const char *domain, *uuid, *name, *device, *type, *gpu, *result;
    bool is_refused; /* libvirt tells of a refusal, and the result is its reason */
};

/* Opens the lines that root's programs have written. `since` is a time that journalctl reads;
 * NULL: the boot. The caller closes the stream. Returns NULL with a line in error. */
FILE *journal_open(const struct host *host, const char *since, struct error *error) CHECKED
    __attribute__((nonnull(1, 3)));

/* Reads a line "SECONDS PROGRAM[PID]: MESSAGE" without its line feed, and cuts it into parts. The
 * seconds count from 1970. Returns whether the line tells of a vGPU. */
bool journal_read(char *line, struct event *ret) CHECKED NONNULL;

/* Whether an event is about a domain. `domain` is its UUID, or its name as typed or as in the
 * log. */
bool journal_is_about(const struct event *event, const char *domain) CHECKED NONNULL;
