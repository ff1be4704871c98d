/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * file-lock: waits for flock(2), in order and not for ever.
 *
 * The kernel queues each waiter of flock(2) behind the last one (fs/locks.c), and serves them in
 * that order. But flock(2) has no time limit. A process that asks again and again, instead of
 * waiting, is served by chance: among a hundred others, perhaps never. Here a timer's signal ends
 * the wait.
 */

#pragma once

#include "base/cleanup.h"

#include <stdint.h>

/*
 * Locks an open file, exclusively; closing it unlocks. Waits for so many nanoseconds at most. 0,
 * -ETIMEDOUT, or another -errno. Uses SIGALRM while it waits, and restores it then.
 */
int file_lock(int fd, uint64_t nanoseconds) CHECKED;
