/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * child: a process that asks a libvirt, and tells over a pipe what came of it.
 *
 * A call of libvirt's may hang for as long as a network does, and libvirt starts programs like ssh
 * for it. So the child has a session of its own: nobody can be asked for a password, no key on the
 * terminal reaches it, and it can be killed with all that it has started. It does not outlive us.
 */

#pragma once

#include "base/deadline.h"

#include <stdio.h>
#include <sys/types.h>

struct child {
    int pid;
    int pipe; /* what it tells, to be read; -1: nothing more will come */
};

/* What it does. Whatever is to be known of it goes to `out`, which it may close. */
typedef void child_work(const void *data, FILE *out);

/* -errno. libvirt's library should be loaded by then (connection_load), once for all children. */
int child_start(struct child *child, child_work *work, const void *data) CHECKED
    __attribute__((nonnull(1, 2)));

/* Reads what there is to read, up to `size` bytes. At its end, or on an error, the pipe is closed,
 * and 0 is returned. */
size_t child_hear(struct child *child, char *ret, size_t size) CHECKED NONNULL;

/* Reads no more of it. */
void child_close(struct child *child) NONNULL;

/* Waits until the child has ended; at the deadline it is killed, and whatever it has started. */
void child_end(struct child *child, struct deadline deadline) NONNULL;
