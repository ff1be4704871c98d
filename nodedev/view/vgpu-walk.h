/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpu-walk: visits the vGPUs of a host one after the other, and finds who has them. First come
 * those that exist. Then come those that only the ledger knows, because they have not been made
 * yet.
 *
 * If a virtual function has another type than its lease says, it is another vGPU with another
 * owner. It has no lease.
 *
 *     struct vgpu_walk walk = {.ledger = &snapshot.ledger, .inventory = &snapshot.inventory};
 *
 *     while (vgpu_walk_next(&walk))
 *         ...walk.device, walk.lease...
 */

#pragma once

#include "actions/snapshot.h"
#include "libvirt/references.h"

struct vgpu_walk {
    const struct ledger *ledger;
    const struct inventory *inventory;

    const struct inventory_vgpu *vgpu; /* NULL: the vGPU is only in the ledger */
    const struct lease *lease;         /* NULL: the vGPU is not in the ledger */
    const struct name *device, *type, *parent, *gpu;
    const struct vgpu_interface *interface;

    size_t next; /* index into the vGPUs, and after them into the leases */
};

bool vgpu_walk_next(struct vgpu_walk *walk) CHECKED NONNULL;

/*
 * Finds whether each existing vGPU of the snapshot is an orphan, and who has each vGPU without a
 * lease. It asks libvirt as little as possible, because libvirt is asked for the XML of each domain
 * separately, and may know thousands. For a running guest its status file tells the same. For a
 * vGPU that is kept, the domain that its lease names is enough. All definitions are read only if
 * some vGPU still has no user.
 *
 * ret does not have all domains. Returns the errors of references_ask. The caller clears ret in
 * every case.
 */
int vgpu_walk_users(const struct host *host, const char *uri, const struct snapshot *snapshot,
                    struct references *ret, struct error *error) CHECKED NONNULL;
