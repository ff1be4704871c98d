/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/read-only.h"

int
read_only_write(const struct host *host, const char *path, const char *text)
{
    (void)host;
    (void)path;
    (void)text;
    return -EROFS;
}

int
read_only_probe(const struct host *host, const char *path)
{
    (void)host;
    (void)path;
    return -EROFS;
}

int
read_only_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    (void)host;
    (void)fd;
    (void)nanoseconds;
    return -EROFS;
}
