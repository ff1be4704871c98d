/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * file-lock: waiting for flock(2), in order and not for ever.
 *
 * flock(2) serves those who wait in the order in which they came (the kernel queues each one behind
 * the last, fs/locks.c), but it has no time limit; and who asks again and again instead of waiting
 * is served by chance, so that with a hundred others it may be never. Here a timer's signal ends
 * the wait.
 */

#pragma once

#include "base/cleanup.h"

#include <stdint.h>

/*
 * Locks an open file, exclusively; closing it unlocks. Waits for so many nanoseconds at most: 0,
 * -ETIMEDOUT, or another -errno. Takes SIGALRM while it waits, and leaves it as it was.
 */
int file_lock(int fd, uint64_t nanoseconds) CHECKED;
