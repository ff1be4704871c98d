/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * availability: how many more vGPUs of a type a GPU would take now. It is the number of times that
 * the decision about one more vGPU would be yes.
 *
 * The number follows the configuration: what is drained, disabled, not allowed or reserved is not
 * available. It includes the room that a start would make by removing vGPUs. It is for the whole
 * GPU, and no sum over virtual functions. gpu-room.h does the counting.
 */

#pragma once

#include "actions/snapshot.h"
#include "placement/loads.h"

struct availability {
    struct ledger ledger; /* the snapshot's ledger without the leases that a start would forget */
    bool *gone;           /* per lease: whether a start may remove the vGPU */
    struct placement_problem problem, after; /* as it is now, and as it is when those are removed */
    struct placement_problem best_after;     /* the same, if they are removed in the best order */
    struct loads now, then, best;
    struct bounds **left; /* per GPU and type: what availability_of tells */
    bool is_unsure;       /* only root can know who is at work on a vGPU (statedir.h) */
};

/* Borrows the snapshot, which must have been taken with inventory_all_types. The snapshot must not
 * be moved. The caller clears the availability in every case. */
void availability_init(struct availability *availability, const struct host *host,
                       const struct snapshot *snapshot) NONNULL;
void availability_clear(struct availability *availability) NONNULL;

/* Returns how many more vGPUs of a type fit on its GPU. The number is not known if the driver's
 * figures cannot be read. */
struct bounds availability_of(const struct availability *availability,
                              const struct inventory_type *type) CHECKED NONNULL;
