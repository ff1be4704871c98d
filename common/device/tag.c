/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/tag.h"

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
tag_remove(const struct host *host, const struct name *tag)
{
    struct path path;
    int rc = path_format(&path, TAGS "/%s", tag->text);

    if (rc < 0)
        return rc;
    return host_remove(host, path.text) < 0 ? -errno : 0;
}
