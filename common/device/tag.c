/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/tag.h"

#include <fcntl.h>

#define STATE "run/libvirt-vgpu"
#define TAGS  STATE "/functions"

bool
tag_may_be(const struct host *host)
{
    return host_exists(host, TAGS);
}

int
tag_read(const struct host *host, const struct name *tag, struct name *ret)
{
    return host_link(host, ret, TAGS "/%s", tag->text);
}

int
tag_put(const struct host *host, const struct name *tag, const struct name *says)
{
    struct path path;
    int rc = path_format(&path, TAGS "/%s", tag->text);

    if (rc < 0)
        return rc;
    if (host_make_link(host, path.text, says->text) == 0)
        return 0;
    if (errno != ENOENT || (host_make_directory(host, TAGS) < 0 && errno != EEXIST))
        return -errno;
    return host_make_link(host, path.text, says->text) < 0 ? -errno : 0;
}

int
tag_change(const struct host *host, const struct name *tag, const struct name *says)
{
    struct path path, new;
    int rc = path_format(&path, TAGS "/%s", tag->text);

    if (rc == 0)
        rc = path_format(&new, TAGS "/%s.new", tag->text);
    if (rc < 0)
        return rc;
    /* It is left from a process that was killed here. */
    if (host_remove(host, new.text) < 0 && errno != ENOENT)
        return -errno;
    return host_make_link(host, new.text, says->text) < 0 ||
                   host_rename(host, new.text, path.text) < 0
               ? -errno
               : 0;
}

int
tag_inherit(const struct host *host, const struct name *tag, const struct name *said,
            const struct name *says)
{
    AUTO_CLOSE int lock =
        host_open(host, STATE "/functions.lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    struct name now;
    int rc;

    if (lock < 0)
        return -errno;
    rc = host->ops->lock(host, lock, 0);
    if (rc == -ETIMEDOUT)
        return -ESTALE;
    if (rc == 0)
        rc = tag_read(host, tag, &now);
    if (rc == -ENOENT || (rc == 0 && !name_equal(&now, said)))
        return -ESTALE;
    return rc < 0 ? rc : tag_change(host, tag, says);
}

int
tag_remove(const struct host *host, const struct name *tag)
{
    struct path path;
    int rc = path_format(&path, TAGS "/%s", tag->text);

    if (rc < 0)
        return rc;
    return host_remove(host, path.text) < 0 ? -errno : 0;
}
