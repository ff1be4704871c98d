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

/* The device's own node, "dev/vfio/devices/vfio3": 0; -ENOENT: it has none; -EACCES: that is not
 * known. It must not be opened, see open-files.h. */
static int
own_node(const struct host *host, const struct path *device, struct path *ret)
{
    AUTO(names_clear) struct names nodes = {0};
    int rc = host_list(host, &nodes, "%s/vfio-dev", device->text);

    if (rc < 0 && rc != -ENOENT)
        return -EACCES;
    if (rc < 0 || nodes.count != 1)
        return -ENOENT;
    rc = path_format(ret, "dev/vfio/devices/%s", nodes.items[0].text);
    return rc < 0 || host_exists(host, "%s", ret->text) ? rc : -ENOENT;
}

int
vfio_holder(const struct host *host, const struct open_files *files, const struct path *device)
{
    struct path node;
    int pid = 0, own;

    if (vfio_node(host, device, &node) == 0)
        pid = open_files_find(files, node.text);
    if (pid > 0)
        return pid;
    own = own_node(host, device, &node);
    if (own == 0)
        own = open_files_find(files, node.text);
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
    AUTO(open_files_clear) struct open_files files = {0};

    if (!vfio_has_node(host, device))
        return false;
    open_files_read(host, &files);
    return vfio_holder(host, &files, device) != 0;
}

int
vfio_prove(const struct host *host, const struct path *device, int *proof)
{
    AUTO(open_files_clear) struct open_files files = {0};
    AUTO_CLOSE int group = -1;
    struct path node, own;
    int holder;

    *proof = -1;
    if (vfio_node(host, device, &node) < 0)
        return -EBUSY;
    group = host->ops->probe(host, node.text);
    if (group < 0 && group != -ENOENT)
        return group == -ENODEV ? group : -EBUSY;
    holder = own_node(host, device, &own);
    if (holder == 0) {
        open_files_read(host, &files);
        holder = open_files_find(&files, own.text);
    }
    if (holder != 0 && (holder != -ENOENT || group < 0))
        return -EBUSY;
    *proof = group < 0 ? -1 : TAKE_FD(group);
    return 0;
}
