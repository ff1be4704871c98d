/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * system-calls: what each system call of ours may answer when the kernel or the disk is in trouble.
 *
 * A table, of these errors only: ENOMEM, ENOSPC, EIO, EMFILE, EACCES, EINTR. A call that can fail
 * with none of them is in it as well, without any: there a process can still be killed. One that is
 * not in it is a fault of the test, so that nothing is left out in silence.
 *
 * Left out on purpose are calls about memory, signals and the process's own number, which change
 * nothing that anybody else can see: see inject.c.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MOST_ERRORS 6

struct system_call {
    long number;
    const char *name;
    bool creates;            /* an open that may make a file */
    int errors[MOST_ERRORS]; /* 0 ends them */
};

/* The row of a call; NULL: there is none. A third argument tells what an open may do. */
const struct system_call *system_call_find(long number, long flags);

/* The row's place, and the row at a place. */
size_t system_call_index(const struct system_call *call);
const struct system_call *system_call_at(size_t index);

/* "EIO", and the reverse (0: there is no such name). */
const char *system_call_error_name(int error);
int system_call_error(const char *name);
