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

/* For a kernel without groups. The device's own node must not be opened, see open-files.h. */
static int
prove_by_holders(const struct host *host, const struct path *device)
{
    AUTO(names_clear) struct names nodes = {0};
    char tail[sizeof("/vfio/devices/") + sizeof(struct name)];
    int rc = host_list(host, &nodes, "%s/vfio-dev", device->text);

    if (rc < 0 || nodes.count != 1)
        return -EBUSY;
    snprintf(tail, sizeof(tail), "/vfio/devices/%s", nodes.items[0].text);
    return open_files_find(host, tail) == 0 ? 0 : -EBUSY;
}

int
vfio_prove(const struct host *host, const struct path *device, int *proof)
{
    struct path node;
    int rc;

    *proof = -1;
    if (vfio_node(host, device, &node) < 0)
        return -EBUSY;
    rc = host->ops->probe(host, node.text);
    if (rc == -ENOENT)
        return prove_by_holders(host, device);
    if (rc < 0)
        return rc == -ENODEV ? rc : -EBUSY;
    *proof = rc;
    return 0;
}
