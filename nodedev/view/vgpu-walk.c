/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/vgpu-walk.h"
#include "device/vgpu.h"
#include "libvirt/connection.h"

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

/* Whether no user of the vGPU is known yet, so that libvirt has to be asked. */
static bool
is_open(const struct references *references, const struct vgpu_walk *walk)
{
    if (!walk->vgpu)
        return false;
    return walk->lease ? references_is_orphan(references, walk->vgpu, walk->lease)
                       : !domains_next_user(&references->domains, walk->device, NULL);
}

/* Whether libvirt has to be asked about any vGPU. With a connection, this first reads the domain
 * that each lease names. */
static bool
any_is_open(const struct snapshot *snapshot, struct references *references,
            struct connection *connection)
{
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};
    bool any = false;

    while (vgpu_walk_next(&walk)) {
        if (connection && lease_of_domain(walk.lease) && is_open(references, &walk))
            connection_add_domain(connection, &walk.lease->domain, &references->domains);
        any |= is_open(references, &walk);
    }
    return any;
}

int
vgpu_walk_users(const struct host *host, const char *uri, const struct snapshot *snapshot,
                struct references *ret, struct error *error)
{
    AUTO(connection_close) struct connection *connection = NULL;
    int rc = references_look(host, ret, error);

    ret->known = rc == 0;
    if (rc < 0 || !any_is_open(snapshot, ret, NULL))
        return rc;
    rc = connection_open(host, uri, CONNECTION_READ, &connection, error);
    if (rc == 0 && any_is_open(snapshot, ret, connection)) {
        domains_clear(&ret->domains);
        rc = connection_domains(connection, &ret->domains, error);
    }
    ret->known = rc == 0;
    return rc;
}
