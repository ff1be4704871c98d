/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/drained.h"
#include "base/durable.h"

#include <fcntl.h>
#include <string.h>

#define DIRECTORY "var/lib/libvirt-vgpu/drained"

int
drained_read(const struct host *host, struct names *ret)
{
    int rc = host_list(host, ret, "%s", DIRECTORY);

    return rc == -ENOENT ? 0 : rc;
}

int
drained_check(int rc, struct error *error)
{
    return rc < 0 ? error_set(error, rc, "cannot tell which GPUs are drained: /" DIRECTORY ": %s",
                              strerror(-rc))
                  : 0;
}

int
drained_add(const struct host *host, const struct name *gpu, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    struct path path;
    int rc = path_format(&path, DIRECTORY "/%s", gpu->text);

    if (rc == 0)
        rc = durable_make_directory(host, DIRECTORY);
    if (rc == 0) {
        fd = host_open(host, path.text, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0644);
        rc = fd < 0 || fsync(fd) < 0 ? -errno : durable_sync(host, DIRECTORY);
    }
    return rc < 0 ? error_set(error, rc, "cannot write /" DIRECTORY "/%s: %s", gpu->text,
                              strerror(-rc))
                  : 0;
}

int
drained_remove(const struct host *host, const struct name *gpu, struct error *error)
{
    struct path path;
    int rc = path_format(&path, DIRECTORY "/%s", gpu->text);

    if (rc == 0 && host_remove(host, path.text) < 0)
        rc = -errno;
    if (rc == -ENOENT)
        return 0;
    if (rc == 0)
        rc = durable_sync(host, DIRECTORY);
    return rc < 0 ? error_set(error, rc, "cannot remove /" DIRECTORY "/%s: %s", gpu->text,
                              strerror(-rc))
                  : 1;
}
