/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpu-walk: the vGPUs of a host, one after the other: those that are there, then those that only
 * the ledger knows, of which nothing is to be seen yet.
 *
 * A virtual function that has another type by now than its lease says is another vGPU, and somebody
 * else's: it has no lease.
 *
 *     struct vgpu_walk walk = {.ledger = &snapshot.ledger, .inventory = &snapshot.inventory};
 *
 *     while (vgpu_walk_next(&walk))
 *         ...walk.device, walk.lease...
 */

#pragma once

#include "actions/snapshot.h"

struct vgpu_walk {
    const struct ledger *ledger;
    const struct inventory *inventory;

    const struct inventory_vgpu *vgpu; /* NULL: only the ledger knows it */
    const struct lease *lease;         /* NULL: the ledger does not know it */
    const struct name *device, *type, *parent, *gpu;

    size_t next; /* of the vGPUs, and behind them of the leases */
};

bool vgpu_walk_next(struct vgpu_walk *walk) CHECKED NONNULL;
