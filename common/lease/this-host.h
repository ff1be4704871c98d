/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * this-host: the host on which a program of ours runs: the real kernel, the system's log, and a
 * reader for drivers. Each of the three programs opens it first, and closes it last.
 */

#pragma once

#include "base/reader.h"
#include "lease/log.h"

struct this_host {
    struct host host;
    struct log log;
    struct reader reader;
};

/* `root` is "/", `program` the name in the log, and `socket` the log's. The last two are borrowed.
 * `here` must not be moved, as the host points into it. If the root cannot be opened, each call of
 * the host fails. */
void this_host_open(struct this_host *here, const char *root, const char *program,
                    const char *socket) NONNULL;

/* Ends the reader, and counts the lines that the log did not take. Returns the status. */
int this_host_close(struct this_host *here, int status) CHECKED NONNULL;
