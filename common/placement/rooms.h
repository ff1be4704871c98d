/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * rooms: the rooms of all GPUs (gpu-room.h) as a placement goes on.
 *
 * At first they are what the inventory shows, with the claims of others put in: a claim takes its
 * place before /sys shows it. vGPUs that the problem says are gone are dropped. Then the search
 * takes places for its demands, and returns them in the reverse order. Pure.
 *
 * An example: /sys shows 2 vGPUs on a T4 with 16 places. Another process has claimed one that /sys
 * does not show yet, and one of the 2 is to be evicted: the room begins with 2 of 16. The search
 * takes one: 3 of 16.
 */

#pragma once

#include "placement/gpu-room.h"
#include "placement/problem.h"

/* What is against a GPU. The later values came closer to room. */
enum reason {
    REASON_NO_TYPE,
    REASON_OTHER_KIND,
    REASON_OTHER_VF,
    REASON_MANAGED,
    REASON_OTHER_PARENT,
    REASON_OWN_CARD,
    REASON_DISABLED,
    REASON_NOT_ALLOWED,
    REASON_LACKS_TRAIT,
    REASON_HAS_TRAIT,
    REASON_UNBOUND,
    REASON_OTHER_NODE,
    REASON_UNLIKE,
    REASON_DRAINED, /* from here on a reason may pass: another day there may be room */
    REASON_PROVED,
    REASON_WHOLE,
    REASON_QUOTA,
    REASON_UNREADABLE,
    REASON_UNLISTED,
    REASON_FULL,
    REASON_IN_USE,
    REASON_RESERVED,
    REASON_OTHER_SIZE,
    REASON_REJECTED,
    REASON_NONE,
};

/* A place that one of the demands gets. */
struct rooms_place {
    struct place at;
    bool is_there; /* the vGPU is there already: it takes no room, but counts for quotas */
    size_t mark;   /* to rewind the GPU's load */
};

struct rooms {
    const struct placement_problem *problem;
    struct gpu_load *loads;     /* per GPU of the inventory */
    size_t *quota_used;         /* per quota, by other domains; SIZE_MAX: it does not bind */
    struct rooms_place *places; /* of the demands, as a stack */
    size_t place_count;
};

/* The caller clears rooms. */
void rooms_init(struct rooms *rooms, const struct placement_problem *problem) NONNULL;
void rooms_clear(struct rooms *rooms) NONNULL;

/* What is on a GPU. */
struct gpu_load *
rooms_on(const struct rooms *rooms, const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Hands a place out; takes back the place that was handed out last. */
void rooms_take(struct rooms *rooms, const struct place *place) NONNULL;
void rooms_return(struct rooms *rooms) NONNULL;

/* Gives a demand a vGPU that is there already. */
void rooms_settle(struct rooms *rooms, const struct place *place) NONNULL;

/* Whether the kernel has refused this very place in this call. */
bool rooms_is_rejected(const struct rooms *rooms, const struct place *place) CHECKED NONNULL;

/* The kernel's refusal of a type on any parent of its GPU in this call, or NULL. */
const struct placement_rejection *
rooms_find_rejection(const struct rooms *rooms, const struct inventory_type *type) NONNULL;
