/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/deadline.h"

#include <poll.h>

#define MILLISECOND   1000000ull /* in nanoseconds */
#define LONGEST_PAUSE 32

struct deadline
deadline_in(const struct host *host, unsigned milliseconds)
{
    return (struct deadline){host, host->ops->now(host) + milliseconds * MILLISECOND};
}

struct deadline
deadline_earlier(struct deadline a, struct deadline b)
{
    return a.at < b.at ? a : b;
}

unsigned
deadline_left(struct deadline deadline)
{
    uint64_t now = deadline.host->ops->now(deadline.host);

    return now >= deadline.at ? 0 : (unsigned)((deadline.at - now + MILLISECOND - 1) / MILLISECOND);
}

bool
deadline_pause(struct deadline deadline, unsigned *pause)
{
    unsigned left = deadline_left(deadline);

    if (left == 0)
        return false;
    (void)deadline.host->ops->wait(deadline.host, NULL, 0,
                                   (*pause < left ? *pause : left) * MILLISECOND);
    if (*pause < LONGEST_PAUSE)
        *pause *= 2;
    return true;
}

int
deadline_wait(struct deadline deadline, struct pollfd *polls, size_t count)
{
    int rc;

    do {
        uint64_t now = deadline.host->ops->now(deadline.host);

        rc = deadline.host->ops->wait(deadline.host, polls, count,
                                      now < deadline.at ? deadline.at - now : 0);
    } while (rc == -EINTR);
    return rc;
}

int
deadline_lock(struct deadline deadline, int fd)
{
    uint64_t now = deadline.host->ops->now(deadline.host);

    return deadline.host->ops->lock(deadline.host, fd, now < deadline.at ? deadline.at - now : 0);
}
