/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/output.h"
#include "base/memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static int
write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);

        if (written < 0)
            return -errno;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

int
output_replace(const char *path, const char *bytes, size_t length, mode_t mode, struct error *error)
{
    AUTO_FREE char *aside = memory_format("%s.XXXXXX", path);
    AUTO_CLOSE int fd = mkostemp(aside, O_CLOEXEC);
    int rc;

    if (fd < 0)
        return error_set(error, -errno, "%s: %m", path);
    rc = fchmod(fd, mode) < 0 ? -errno : write_all(fd, bytes, length);
    if (rc == 0 && rename(aside, path) < 0)
        rc = -errno;
    if (rc == 0)
        return 0;
    unlink(aside);
    return error_set(error, rc, "%s: %s", path, strerror(-rc));
}
