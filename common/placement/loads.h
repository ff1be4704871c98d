/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * loads: the loads of all GPUs (gpu-load.h) during a placement. Pure.
 *
 * At first the loads are as the inventory shows the GPUs. Claims of others are put on them, because
 * a claim takes its place before /sys shows its vGPU. vGPUs that the problem says are gone are
 * dropped. Then the search takes places for its demands, and returns them in the reverse order.
 *
 * An example: /sys shows 2 vGPUs on a T4 with 16 places. Another process has claimed one that /sys
 * does not show yet, and one of the 2 would be evicted. So the load begins with 2 of 16. The search
 * takes one: 3 of 16.
 */

#pragma once

#include "placement/gpu-room.h"
#include "placement/problem.h"

/* A place that one of the demands gets. */
struct loads_place {
    struct place at;
    bool is_there;  /* the vGPU is there already: it takes no room, but counts for quotas */
    size_t mark;    /* to rewind the GPU's load */
    uint64_t state; /* that the GPU's load had before */
};

struct loads {
    const struct placement_problem *problem;
    struct gpu_load *gpus;      /* per GPU of the inventory */
    size_t *quota_used;         /* per quota, with the places below; SIZE_MAX: it does not bind */
    struct loads_place *places; /* of the demands, as a stack */
    size_t place_count;
    const struct inventory_type **brought; /* types of vGPUs that the guest brings along */
    size_t brought_count;
    /* Per GPU a number, which tells whether its load is the same as before: each place that is
     * handed out gives the GPU a new number, and a place that is taken back the number of before.
     */
    uint64_t *states;
    uint64_t last_state;
};

/* The caller clears loads. */
void loads_init(struct loads *loads, const struct placement_problem *problem) NONNULL;
void loads_clear(struct loads *loads) NONNULL;

/* What is on a GPU. */
struct gpu_load *
loads_on(const struct loads *loads, const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Hands a place out; takes back the place that was handed out last. */
void loads_take(struct loads *loads, const struct place *place) NONNULL;
void loads_return(struct loads *loads) NONNULL;

/* Gives a demand a vGPU that is there already. */
void loads_settle(struct loads *loads, const struct place *place) NONNULL;

/* Whether the kernel has refused this very place in this call. */
bool loads_is_rejected(const struct loads *loads, const struct place *place) CHECKED NONNULL;

/* The kernel's refusal of a type on any parent of its GPU in this call, or NULL. */
const struct placement_rejection *
loads_find_rejection(const struct loads *loads, const struct inventory_type *type) NONNULL;
