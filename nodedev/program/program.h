/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * program: runs another program, for vgpuctl: as host.h's `run`. The hook and the call-out are not
 * linked to it.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/*
 * Runs the program argv[0], an absolute path, with these arguments (NULL ends them), and waits for
 * its end. It gets an environment of its own, `in` for its stdin (-1: an empty one), and our stderr
 * for all that it prints, or `out` for what it prints on its stdout (-1: our stderr, too); it is
 * the leader of a process group of its own. Nobody reads while it runs, so out is a file, not a
 * pipe.
 *
 * Its exit status, as a shell has it: 128 and the number of a signal that has ended it. -ENOENT or
 * the like if it cannot be started. -ETIMEDOUT if it has not ended within so many milliseconds:
 * then its group was asked to end (SIGTERM).
 */
int program_run(const struct host *host, char *const argv[], int in, int out,
                unsigned milliseconds) CHECKED NONNULL;

/* Runs a program by host.run, for at most a minute, and reads what it prints on its stdout, which
 * is at most 256 MiB: a descriptor of a file in memory, or -errno with a line in error if it cannot
 * be run, does not end, fails, or prints more. */
int program_read(const struct host *host, char *const argv[], int in,
                 struct error *error) CHECKED NONNULL;
