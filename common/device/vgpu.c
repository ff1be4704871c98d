/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/vgpu.h"
#include "device/vfio.h"

#include <stdio.h>
#include <string.h>

const struct vgpu_interface *const vgpu_built_in[] = {
    &vgpu_mdev, &vgpu_vf, &vgpu_xe, &vgpu_pool, NULL,
};

const struct vgpu_interface *const *
vgpu_interfaces(const struct host *host)
{
    return host->interfaces ? host->interfaces : vgpu_built_in;
}

/* --- the row that is not known ---------------------------------------------------------------- */

static int
find_none(const struct host *host, const struct name *device, struct vgpu *ret, struct name *gpu)
{
    (void)host, (void)device, (void)ret, (void)gpu;
    return -ENOENT;
}

static enum vgpu_state
never_known(const struct host *host, const struct vgpu *vgpu, struct name *type)
{
    (void)host, (void)vgpu;
    *type = (struct name){0};
    return VGPU_UNKNOWN;
}

static int
do_nothing(const struct host *host, const struct vgpu *vgpu)
{
    (void)host, (void)vgpu;
    return -ENOTSUP;
}

static int
have_no_directory(const struct vgpu *vgpu, struct path *ret)
{
    (void)vgpu, (void)ret;
    return -ENOTSUP;
}

const struct vgpu_interface vgpu_unknown = {
    .kind = "unknown",
    .hostdev = REQUEST_PCI,
    .find = find_none,
    .state = never_known,
    .make = do_nothing,
    .directory = have_no_directory,
    .remove = do_nothing,
};

/* --- any row ---------------------------------------------------------------------------------- */

int
vgpu_pci_directory(const struct vgpu *vgpu, struct path *ret)
{
    return path_format(ret, "sys/bus/pci/devices/%s", vgpu->device.text);
}

bool
vgpu_has_function(const struct inventory *inventory, const struct name *device)
{
    const struct inventory_parent *parent = inventory_find_parent(inventory, device);

    return parent && parent->interface->hostdev == REQUEST_PCI;
}

const struct vgpu_interface *
vgpu_interface_find(const struct vgpu_interface *const *rows, const char *kind)
{
    while (*rows && strcmp((*rows)->kind, kind))
        rows++;
    return *rows;
}

struct vgpu
vgpu_at(const struct place *place, const struct name *device)
{
    return (struct vgpu){.interface = place->parent->interface,
                         .device = *device,
                         .type = place->type->id,
                         .parent = place->parent->name,
                         .recipe = place->type->recipe};
}

int
vgpu_scan(const struct vgpu_interface *interface, const struct host *host,
          const struct policy *policy, const struct inventory_filter *filter,
          const struct names *devices, struct inventory *inventory)
{
    int rc = 0;

    if (interface->scan)
        return interface->scan(host, filter, inventory);
    if (interface->may_be && !interface->may_be(host, policy))
        return 0;
    for (size_t i = 0; i < devices->count && rc == 0; i++)
        rc = interface->scan_device(host, policy, &devices->items[i], inventory);
    return rc;
}

int
vgpu_find(const struct host *host, const struct name *device, struct vgpu *ret, struct name *gpu)
{
    int rc = -ENOENT;

    for (const struct vgpu_interface *const *row = vgpu_interfaces(host); *row && rc == -ENOENT;
         row++)
        rc = (*row)->find(host, device, ret, gpu);
    return rc;
}

enum vgpu_state
vgpu_state(const struct host *host, const struct vgpu *vgpu, struct name *type)
{
    return vgpu->interface->state(host, vgpu, type);
}

bool
vgpu_is_known(const struct vgpu *vgpu)
{
    return vgpu->interface != &vgpu_unknown;
}

bool
vgpu_is_wrong(const struct host *host, const struct vgpu *vgpu)
{
    struct name type;
    enum vgpu_state state = vgpu_state(host, vgpu, &type);

    return state != VGPU_UNKNOWN && !(state == VGPU_PRESENT && name_equal(&type, &vgpu->type));
}

int
vgpu_configure(const struct host *host, const struct vgpu *vgpu, const char *params)
{
    if (vgpu->interface->configure)
        return vgpu->interface->configure(host, vgpu, params);
    return *params ? -ENOENT : 0;
}

int
vgpu_prove(const struct host *host, const struct vgpu *vgpu, int *proof)
{
    struct path device;
    struct name type;
    int rc = vgpu->interface->directory(vgpu, &device);

    *proof = -1;
    if (vgpu_state(host, vgpu, &type) == VGPU_ABSENT)
        return -ENODEV;
    if (rc < 0 || (vgpu->interface->is_managed && !vfio_has_node(host, &device)))
        return rc;
    return vfio_prove(host, &device, proof);
}

int
vgpu_holder(const struct host *host, struct open_files *files, const struct vgpu *vgpu, char *text,
            size_t size)
{
    struct path device;
    int pid;

    *text = '\0';
    if (vgpu->interface->directory(vgpu, &device) < 0)
        return 0;
    pid = vfio_holder(host, files, &device);
    if (pid <= 0)
        return pid;
    open_files_name(host, pid, text, size);
    return 1;
}
