/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * system-calls: the errors that each of our system calls may return when the kernel or the disk is
 * in trouble.
 *
 * The table has only these errors: ENOMEM, ENOSPC, EIO, EMFILE, EACCES, EINTR. If a call cannot
 * fail with any of them, it is in the table without an error. A process can still be killed at this
 * call. A call that the table lacks fails the test, so that no call is left out without notice.
 *
 * Calls about memory, signals and the process's own number are left out on purpose. Their effects
 * are invisible to others: see inject.c.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MOST_ERRORS 6

struct system_call {
    long number;
    const char *name;
    bool creates;            /* an open that may make a file */
    int errors[MOST_ERRORS]; /* 0 ends the list */
};

/* The row of a call. NULL: there is none. The third argument of an open tells whether the open may
 * make a file. */
const struct system_call *system_call_find(long number, long flags);

/* The position of a row, and the row at a position. */
size_t system_call_index(const struct system_call *call);
const struct system_call *system_call_at(size_t index);

/* The name of an error, "EIO", and the error of a name (0: there is no such name). */
const char *system_call_error_name(int error);
int system_call_error(const char *name);
