/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * deadline: the moment after which a hook waits for nothing any more.
 *
 * libvirt sets a hook no time limit, and holds the domain's lock meanwhile. So every wait here has
 * a limit. Durations are milliseconds; the clock is the host's.
 */

#pragma once

#include "base/host.h"

struct deadline {
    const struct host *host; /* whose clock it is */
    uint64_t at;             /* nanoseconds since the kernel booted */
};

struct deadline deadline_in(const struct host *host, unsigned milliseconds) NONNULL;

/* Whichever comes first. */
struct deadline deadline_earlier(struct deadline a, struct deadline b);

/* Milliseconds that are left, rounded up; 0: the deadline has passed. */
unsigned deadline_left(struct deadline deadline);

/*
 * Sleeps once while the caller waits for something that nobody announces. *pause is in
 * milliseconds: start with 1, and it doubles, up to 32. Never sleeps beyond the deadline. False, at
 * once, if the deadline has passed.
 */
bool deadline_pause(struct deadline deadline, unsigned *pause) CHECKED NONNULL;

/* Waits until one of the descriptors is ready, as poll(2). Looks once even if the deadline has
 * passed. Returns how many are ready; 0: none is by then; or -errno. */
int deadline_wait(struct deadline deadline, struct pollfd *polls, size_t count) CHECKED NONNULL;

/* Locks a file, as host_ops.lock. -ETIMEDOUT: others have it until the deadline. */
int deadline_lock(struct deadline deadline, int fd) CHECKED;
