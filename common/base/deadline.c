/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/deadline.h"

#include <time.h>

#define NANOSECONDS_PER_MILLISECOND 1000000ull
#define LONGEST_PAUSE               32

static uint64_t
deadline_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

struct deadline
deadline_in(unsigned milliseconds)
{
    return (struct deadline){deadline_now() + milliseconds * NANOSECONDS_PER_MILLISECOND};
}

struct deadline
deadline_earlier(struct deadline a, struct deadline b)
{
    return a.at < b.at ? a : b;
}

unsigned
deadline_left(struct deadline deadline)
{
    uint64_t now = deadline_now();

    if (now >= deadline.at)
        return 0;
    return (unsigned)((deadline.at - now + NANOSECONDS_PER_MILLISECOND - 1) /
                      NANOSECONDS_PER_MILLISECOND);
}

bool
deadline_pause(struct deadline deadline, unsigned *pause)
{
    unsigned left = deadline_left(deadline);
    unsigned milliseconds = *pause < left ? *pause : left;
    struct timespec length = {milliseconds / 1000, milliseconds % 1000 * 1000000l};

    if (left == 0)
        return false;
    nanosleep(&length, NULL);
    if (*pause < LONGEST_PAUSE)
        *pause *= 2;
    return true;
}
