/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * plan: a placement as leases. The ledger has these leases before anything is written to /sys.
 *
 * Pure. A step needs no undo of its own. Giving back what the domain's leases say (release.h)
 * undoes any part of a plan.
 */

#pragma once

#include "placement/placement.h"

struct plan_step {
    enum placement_way way;
    struct lease lease; /* pending */
    char params[VGPU_PARAMS];
};

struct plan {
    struct plan_step *steps; /* one per demand, in their order */
    size_t count;
};

/* The process that carries it out. */
struct plan_actor {
    struct process daemon;
    uint64_t claim;
    uint64_t time;
};

/* The caller clears ret. */
void plan_build(const struct placement_problem *problem, const struct placement_choice *choices,
                const struct plan_actor *actor, struct plan *ret) NONNULL;
void plan_clear(struct plan *plan) NONNULL;
