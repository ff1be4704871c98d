/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/vfio.h"
#include "device/open-files.h"

#include <stdio.h>

int
vfio_node(const struct host *host, const struct path *device, struct path *ret)
{
    struct name group;
    int rc = host_link(host, &group, "%s/iommu_group", device->text);

    return rc < 0 ? rc : path_format(ret, "dev/vfio/%s", group.text);
}

/* As vfio_holder, of the device's own node; -ENOENT if it has none. What cannot be read may be one.
 * It must not be opened, see open-files.h. */
static int
holder_of_own_node(const struct host *host, const struct path *device)
{
    AUTO(names_clear) struct names nodes = {0};
    char tail[sizeof("/vfio/devices/") + sizeof(struct name)];
    int rc = host_list(host, &nodes, "%s/vfio-dev", device->text);

    if (rc < 0 && rc != -ENOENT)
        return -EACCES;
    if (rc < 0 || nodes.count != 1)
        return -ENOENT;
    if (!host_exists(host, "dev/vfio/devices/%s", nodes.items[0].text))
        return -ENOENT;
    snprintf(tail, sizeof(tail), "/vfio/devices/%s", nodes.items[0].text);
    return open_files_find(host, tail);
}

int
vfio_holder(const struct host *host, const struct path *device)
{
    struct path node;
    int pid = 0, own;

    if (vfio_node(host, device, &node) == 0)
        pid = open_files_find(host, node.text);
    if (pid > 0)
        return pid;
    own = holder_of_own_node(host, device);
    return own == -ENOENT || own == 0 ? pid : own;
}

bool
vfio_has_node(const struct host *host, const struct path *device)
{
    struct path node;

    return host_exists(host, "%s/vfio-dev", device->text) ||
           (vfio_node(host, device, &node) == 0 && host_exists(host, "%s", node.text));
}

bool
vfio_may_be_open(const struct host *host, const struct path *device)
{
    return vfio_has_node(host, device) && vfio_holder(host, device) != 0;
}

int
vfio_prove(const struct host *host, const struct path *device, int *proof)
{
    AUTO_CLOSE int group = -1;
    struct path node;
    int holder;

    *proof = -1;
    if (vfio_node(host, device, &node) < 0)
        return -EBUSY;
    group = host->ops->probe(host, node.text);
    if (group < 0 && group != -ENOENT)
        return group == -ENODEV ? group : -EBUSY;
    holder = holder_of_own_node(host, device);
    if (holder != 0 && (holder != -ENOENT || group < 0))
        return -EBUSY;
    *proof = group < 0 ? -1 : TAKE_FD(group);
    return 0;
}
