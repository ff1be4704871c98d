/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/durable.h"

#include <fcntl.h>
#include <string.h>

int
durable_sync(const struct host *host, const char *directory)
{
    AUTO_CLOSE int fd = host_open(host, directory, O_RDONLY | O_DIRECTORY, 0);

    return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

int
durable_make_directory(const struct host *host, const char *directory)
{
    struct path path, above = {"."};
    char *slash;
    int rc = path_format(&path, "%s", directory);

    slash = path.text;
    while (rc == 0 && slash) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = '\0';
        if (host_make_directory(host, path.text) == 0)
            rc = durable_sync(host, above.text);
        else if (errno != EEXIST)
            rc = -errno;
        above = path;
        if (slash)
            *slash++ = '/';
    }
    return rc;
}
