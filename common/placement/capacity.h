/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * capacity: what GPUs can still take: the inventory's, less what others have claimed and is not to
 * be seen there yet, less what the search for a placement has handed out so far.
 *
 * Pure. Whether a GPU can take one more is asked in fit.h.
 */

#pragma once

#include "placement/problem.h"

/* What stands against a GPU; the further down, the closer it came. */
enum reason {
    REASON_NO_TYPE,
    REASON_OTHER_KIND,
    REASON_OTHER_VF,
    REASON_MANAGED,
    REASON_OTHER_PARENT,
    REASON_DISABLED,
    REASON_DRAINED,
    REASON_NOT_ALLOWED,
    REASON_LACKS_TRAIT,
    REASON_HAS_TRAIT,
    REASON_UNBOUND,
    REASON_OTHER_NODE,
    REASON_QUOTA,
    REASON_UNREADABLE,
    REASON_UNLISTED,
    REASON_FULL,
    REASON_RESERVED,
    REASON_OTHER_SIZE,
    REASON_REJECTED,
    REASON_NONE,
};

/* A vGPU that is as good as made, and that the inventory does not know of; or one that it does know
 * of and that this domain is to have (settled), which takes no room but counts for quotas. */
struct capacity_claim {
    size_t parent;
    size_t gpu;
    const struct inventory_type *type; /* NULL: none of the GPU's */
    unsigned framebuffer;
    bool own;
    bool settled;
};

/* What is known of a GPU before the search. */
struct capacity_gpu {
    size_t made;         /* vGPUs on it */
    size_t first_parent; /* its parents are parents[first_parent] and on */
    size_t parent_count;
};

struct capacity {
    const struct placement_problem *problem;
    struct capacity_gpu *gpus; /* as the inventory's */
    size_t *parents;           /* indices of parents, those of a GPU together */
    bool *taken;               /* per parent: it has a vGPU */
    bool *owned; /* per parent: a virtual function that is another domain's, whatever /sys shows */
    size_t *quota_used; /* per quota, by other domains; SIZE_MAX: it does not bind this one */
    struct capacity_claim *claims; /* others', settled ones, then the search's own as a stack */
    size_t claim_count;
};

void capacity_init(struct capacity *capacity, const struct placement_problem *problem) NONNULL;
void capacity_clear(struct capacity *capacity) NONNULL;

/* Hands a place out, and takes back what was handed out last. */
void capacity_take(struct capacity *capacity, size_t parent, size_t type) NONNULL;
void capacity_return(struct capacity *capacity) NONNULL;

/* A vGPU that is there already, for one of the demands. */
void capacity_settle(struct capacity *capacity, size_t parent, size_t type) NONNULL;

/* Whether a parent is a virtual function: it takes one vGPU. */
bool capacity_is_function(const struct capacity *capacity, size_t parent) CHECKED NONNULL;

/* Whether a virtual function has its one place still: nobody has it, or a claim on it. Its driver's
 * figures may be older than what is made. */
bool capacity_has_place(const struct capacity *capacity, size_t parent) CHECKED NONNULL;

/* MiB of a GPU whose memory is summed up that no function and no claim has; and how many of them a
 * type needs on a parent, which may have some already. Both are 0 for other GPUs. */
unsigned capacity_free(const struct capacity *capacity, size_t gpu) CHECKED NONNULL;
unsigned
capacity_needs(const struct capacity *capacity, size_t parent, size_t type) CHECKED NONNULL;

/* Whether the kernel has said no to a type on this very parent in this call. */
bool
capacity_is_rejected(const struct capacity *capacity, size_t parent, size_t type) CHECKED NONNULL;

/* What the kernel said about a type on any parent of a GPU in this call, or NULL. */
const struct placement_rejection *
capacity_find_rejection(const struct capacity *capacity, size_t gpu, size_t type) NONNULL;
