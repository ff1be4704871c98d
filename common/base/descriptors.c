/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/descriptors.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_DESCRIPTORS 256 /* no process of ours ever has more */

/* Linux has close_range(2) from 5.9 on, and the C library has it from later on. Without it each
 * descriptor is closed by itself, which is slow. */
static void
close_from_to(unsigned first, unsigned last)
{
#ifdef SYS_close_range
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
        return;
#endif
    for (unsigned fd = first; fd <= last && fd < MOST_DESCRIPTORS; fd++)
        close((int)fd);
}

void
descriptors_settle(const char *nothing)
{
    int fd;

    do
        fd = open(nothing, O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

void
descriptors_keep_standard(const char *nothing)
{
    close_from_to(STDERR_FILENO + 1, UINT_MAX);
    descriptors_settle(nothing);
}

void
descriptors_bequeath(int fd)
{
    fcntl(fd, F_SETFD, 0);
}

void
descriptors_close_but(int a, int b)
{
    unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

    if (low > 0)
        close_from_to(0, low - 1);
    close_from_to(low + 1, high - 1);
    close_from_to(high + 1, UINT_MAX);
}
