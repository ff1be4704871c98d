/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/vgpu-walk.h"
#include "device/vgpu.h"

static const struct lease *
find_lease(const struct vgpu_walk *walk, const struct inventory_vgpu *vgpu)
{
    const struct lease *lease = ledger_find(walk->ledger, &vgpu->device);
    bool is_function = vgpu->parent->interface->hostdev == REQUEST_PCI;

    return lease && is_function && !name_equal(&lease->vgpu.type, &vgpu->type) ? NULL : lease;
}

static void
take_vgpu(struct vgpu_walk *walk, const struct inventory_vgpu *vgpu)
{
    const struct inventory_parent *parent = vgpu->parent;

    walk->vgpu = vgpu;
    walk->lease = find_lease(walk, vgpu);
    walk->device = &vgpu->device;
    walk->type = &vgpu->type;
    walk->parent = &parent->name;
    walk->interface = parent->interface;
    walk->gpu = &parent->gpu->name;
}

bool
vgpu_walk_next(struct vgpu_walk *walk)
{
    size_t seen = walk->inventory->vgpu_count;

    if (walk->next < seen) {
        take_vgpu(walk, walk->inventory->vgpus[walk->next++]);
        return true;
    }
    walk->vgpu = NULL;
    while (walk->next < seen + walk->ledger->count) {
        const struct inventory_vgpu *there;
        const struct vgpu *vgpu;

        walk->lease = &walk->ledger->leases[walk->next++ - seen];
        there = inventory_find_vgpu(walk->inventory, &walk->lease->vgpu.device);
        if (there && find_lease(walk, there))
            continue;
        vgpu = &walk->lease->vgpu;
        walk->device = &vgpu->device;
        walk->type = &vgpu->type;
        walk->parent = &vgpu->parent;
        walk->interface = vgpu->interface;
        walk->gpu = &walk->lease->gpu;
        return true;
    }
    return false;
}
