/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/vfio.h"
#include "device/open-files.h"

#include <stdio.h>
#include <string.h>

int
vfio_node(const struct host *host, const struct path *device, struct path *ret)
{
    struct name group;
    int rc = host_link(host, &group, "%s/iommu_group", device->text);

    return rc < 0 ? rc : path_format(ret, "dev/vfio/%s", group.text);
}

/* The node with this directory in /sys and this name in /dev: 0; -ENOENT: /sys does not tell its
 * number, so the number in *ret is 0; -EACCES: that is not known. */
static int
find_node(const struct host *host, const char *directory, const struct path *name, struct node *ret)
{
    int rc = node_read(host, ret, "%s", directory);

    snprintf(ret->name, sizeof(ret->name), "%.63s", name->text);
    return rc < 0 && rc != -ENOENT ? -EACCES : rc;
}

/* The node of the device's group: 0; -ENOENT: it has none; -EACCES: that is not known. An old
 * capture has no number of the node. There the directory vfio-dev or the node itself proves that
 * the group has one. */
static int
group_node(const struct host *host, const struct path *device, struct node *ret)
{
    struct path directory, name;
    int rc = vfio_node(host, device, &name);

    if (rc == 0)
        rc = path_format(&directory, "sys/class/vfio/%s", name.text + strlen("dev/vfio/"));
    if (rc < 0)
        return -ENOENT;
    rc = find_node(host, directory.text, &name, ret);
    return rc == -ENOENT && (host_exists(host, "%s/vfio-dev", device->text) ||
                             host_exists(host, "%s", name.text))
               ? 0
               : rc;
}

/* The device's own node, likewise. It must not be opened, see open-files.h. */
static int
own_node(const struct host *host, const struct path *device, struct node *ret)
{
    AUTO(names_clear) struct names nodes = {0};
    struct path directory, name;
    int rc = host_list(host, &nodes, "%s/vfio-dev", device->text);

    if (rc < 0 && rc != -ENOENT)
        return -EACCES;
    if (rc < 0 || nodes.count != 1)
        return -ENOENT;
    rc = path_format(&directory, "%s/vfio-dev/%s", device->text, nodes.items[0].text);
    if (rc == 0)
        rc = path_format(&name, "dev/vfio/devices/%s", nodes.items[0].text);
    if (rc < 0)
        return -EACCES;
    rc = find_node(host, directory.text, &name, ret);
    return rc == -ENOENT && host_exists(host, "%s", name.text) ? 0 : rc;
}

typedef int find(const struct host *host, const struct path *device, struct node *ret);
static find *const nodes[] = {group_node, own_node};

int
vfio_holder(const struct host *host, struct open_files *files, const struct path *device)
{
    int answer = 0;

    for (size_t i = 0; i < COUNT(nodes); i++) {
        struct node node;
        int rc = nodes[i](host, device, &node);

        if (rc == 0)
            rc = open_files_find(host, files, &node);
        if (rc > 0)
            return rc;
        if (rc != -ENOENT && rc < 0)
            answer = -EACCES;
    }
    return answer;
}

bool
vfio_has_node(const struct host *host, const struct path *device)
{
    struct node ignored;

    return group_node(host, device, &ignored) != -ENOENT ||
           own_node(host, device, &ignored) != -ENOENT;
}

bool
vfio_may_be_open(const struct host *host, const struct path *device)
{
    AUTO(open_files_clear) struct open_files files = {0};

    return vfio_holder(host, &files, device) != 0;
}

int
vfio_prove(const struct host *host, const struct path *device, int *proof)
{
    AUTO(open_files_clear) struct open_files files = {0};
    AUTO_CLOSE int group = -1;
    struct path path;
    struct node own;
    int holder;

    *proof = -1;
    if (vfio_node(host, device, &path) < 0)
        return -EBUSY;
    group = host->ops->probe(host, path.text);
    if (group < 0 && group != -ENOENT)
        return group == -ENODEV ? group : -EBUSY;
    holder = own_node(host, device, &own);
    if (holder == 0)
        holder = open_files_find(host, &files, &own);
    if (holder != 0 && (holder != -ENOENT || group < 0))
        return -EBUSY;
    *proof = group < 0 ? -1 : TAKE_FD(group);
    return 0;
}
