/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * availability: how many more vGPUs of a type a GPU would take now: how often the decision about
 * one more would be yes.
 *
 * That is by the configuration (what is drained, disabled, not allowed or reserved is not
 * available), with everything counted that a start would remove to make room, and of the GPU as a
 * whole: it is no sum over virtual functions. The counting is gpu-room.h's.
 */

#pragma once

#include "actions/snapshot.h"
#include "placement/rooms.h"

struct availability {
    struct request request;                  /* of a domain that nobody has */
    struct demands demands;                  /* none */
    struct ledger ledger;                    /* the snapshot's, without what a start would forget */
    bool *gone;                              /* per lease: what a start may remove */
    struct placement_problem problem, after; /* now, and once that is gone */
    struct rooms now, then;
};

/* Borrows the snapshot, which was taken with inventory_all_types, and must stay where it is. To be
 * cleared in every case. */
void availability_init(struct availability *availability, const struct host *host,
                       const struct snapshot *snapshot) NONNULL;
void availability_clear(struct availability *availability) NONNULL;

/* How many. If the driver's figures cannot be read, nobody says. */
struct bounds
availability_of(const struct availability *availability, size_t gpu, size_t type) CHECKED NONNULL;
