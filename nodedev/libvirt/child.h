/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * child: a process that asks a libvirt, or works beside this one, and writes the answer to a pipe.
 *
 * A call of libvirt may hang for as long as a network does, and libvirt starts programs such as ssh
 * for it. So the child has a session of its own. In this session nobody can be asked for a
 * password, and no key on the terminal reaches the child. The child can be killed together with all
 * that it started. The child ends when this process ends.
 */

#pragma once

#include "base/deadline.h"

#include <stdio.h>

struct child {
    int pid;
    int pipe; /* where the answer is read; -1: the child will say no more */
};

/* The child's work. It writes the answer to `out`, which it may close. */
typedef void child_work(const void *data, FILE *out);

/* Returns -errno. Call connection_load first: then libvirt's library is loaded once for all
 * children. */
int child_start(struct child *child, child_work *work, const void *data) CHECKED
    __attribute__((nonnull(1, 2)));

/* Reads what the child has written so far, at most `size` bytes. At the end or on an error, the
 * function closes the pipe and returns 0. */
size_t child_hear(struct child *child, char *ret, size_t size) CHECKED NONNULL;

/* Closes the pipe. */
void child_close(struct child *child) NONNULL;

/* Waits until the child has ended. At the deadline the child is killed, with all that it
 * started. */
void child_end(struct child *child, struct deadline deadline) NONNULL;
