/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/tag.h"
#include "base/run-links.h"

#include <fcntl.h>

#define KIND "functions"
#define TAGS "run/libvirt-vgpu/" KIND

bool
tag_may_be(const struct host *host)
{
    return host_exists(host, TAGS);
}

int
tag_read(const struct host *host, const struct name *tag, struct name *ret)
{
    char text[sizeof(ret->text)];
    int rc = run_links_read(host, KIND, tag->text, text, sizeof(text));

    return rc < 0 ? rc : name_parse(ret, text);
}

int
tag_put(const struct host *host, const struct name *tag, const struct name *says)
{
    return run_links_put(host, KIND, tag->text, says->text);
}

int
tag_change(const struct host *host, const struct name *tag, const struct name *says)
{
    return run_links_replace(host, KIND, tag->text, "%s", says->text);
}

int
tag_inherit(const struct host *host, const struct name *tag, const struct name *said,
            const struct name *says)
{
    AUTO_CLOSE int lock = host_open(host, TAGS ".lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
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
    return run_links_remove(host, KIND, tag->text);
}
