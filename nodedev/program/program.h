/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * program: runs another program for vgpuctl, as host.h's `run`. The hook and the call-out are not
 * linked to it.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/*
 * Runs the program argv[0], an absolute path, with these arguments, and waits for its end. The last
 * item of argv is NULL.
 *
 * The program gets an environment of its own, and leads a process group of its own. Its stdin is
 * empty. Its stdout is `out`; -1 means our stderr. Its stderr is our stderr. Nobody reads while the
 * program runs, so out must be a file and no pipe. Of our other descriptors it gets those that are
 * to live as long as it does (descriptors_bequeath).
 *
 * Returns the exit status as a shell has it: 128 plus the number of a signal that ended the
 * program. Returns -ENOENT or another -errno if the program cannot be started. If it has not ended
 * after `milliseconds`, its group gets SIGTERM, and after five seconds SIGKILL. Then the function
 * returns -ETIMEDOUT, five seconds later at most: the kernel may not let go of the program.
 */
int program_run(const struct host *host, char *const argv[], int out,
                unsigned milliseconds) CHECKED NONNULL;

/* Runs a program by host.run, for at most a minute, and reads at most 256 MiB of its stdout.
 * Returns a descriptor of a file in memory. Returns -errno with a line in error if the program
 * cannot be run, does not end, fails, or prints more. */
int program_read(const struct host *host, char *const argv[], struct error *error) CHECKED NONNULL;

/* The same, also if the program fails: *status is its exit status. */
int program_ask(const struct host *host, char *const argv[], int *status,
                struct error *error) CHECKED NONNULL;
