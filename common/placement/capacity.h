/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * room: what GPUs can still take: the inventory's, less what others have claimed and is not to be
 * seen there yet, less what the search for a placement has handed out so far.
 *
 * Pure. Whether a GPU can take one more is asked in fit.h.
 */

#pragma once

#include "placement/problem.h"

/* What stands against a GPU; the further down, the closer it came. */
enum verdict {
    VERDICT_NO_TYPE,
    VERDICT_OTHER_KIND,
    VERDICT_OTHER_PLACE,
    VERDICT_OTHER_PARENT,
    VERDICT_DISABLED,
    VERDICT_DRAINED,
    VERDICT_NOT_ALLOWED,
    VERDICT_LACKS_TRAIT,
    VERDICT_HAS_TRAIT,
    VERDICT_UNBOUND,
    VERDICT_OTHER_NODE,
    VERDICT_QUOTA,
    VERDICT_UNREADABLE,
    VERDICT_UNLISTED,
    VERDICT_FULL,
    VERDICT_RESERVED,
    VERDICT_OTHER_SIZE,
    VERDICT_REFUSED,
    VERDICT_GOOD,
};

/* A vGPU that is as good as made, and that the inventory does not know of; or one that it does know
 * of and that this domain is to have (settled), which takes no room but counts for quotas. */
struct room_claim {
    size_t parent;
    size_t gpu;
    const struct inventory_type *type; /* NULL: none of the GPU's */
    unsigned framebuffer;
    bool own;
    bool settled;
};

/* What is known of a GPU before the search. */
struct room_gpu {
    size_t made;        /* vGPUs on it */
    size_t first_place; /* its parents are places[first_place] and on */
    size_t place_count;
};

struct room {
    const struct placement_question *question;
    struct room_gpu *gpus; /* as the inventory's */
    size_t *places;        /* indices of parents, those of a GPU together */
    bool *owned; /* per parent: a virtual function that is another domain's, whatever /sys shows */
    size_t *quota_used; /* per quota, by other domains; SIZE_MAX: it does not bind this one */
    struct room_claim *claims; /* others', settled ones, then the search's own as a stack */
    size_t claim_count;
};

/* -ENOMEM. To be cleared in every case. */
int room_init(struct room *room, const struct placement_question *question) CHECKED NONNULL;
void room_clear(struct room *room) NONNULL;

/* Hands a place out, and takes back what was handed out last. */
void room_occupy(struct room *room, size_t parent, size_t type) NONNULL;
void room_leave(struct room *room) NONNULL;

/* A vGPU that is there already, for one of the demands. */
void room_settle(struct room *room, size_t parent, size_t type) NONNULL;

/* Whether a parent is a virtual function: it takes one vGPU. */
bool room_is_function(const struct room *room, size_t parent) CHECKED NONNULL;

/* Whether somebody has a claim on a parent that takes room there. */
bool room_is_claimed(const struct room *room, size_t parent) CHECKED NONNULL;

/* Whether the kernel has said no to a type on this very parent in this call. */
bool room_is_refused(const struct room *room, size_t parent, size_t type) CHECKED NONNULL;

/* What the kernel said about a type on any parent of a GPU in this call, or NULL. */
const struct placement_refusal *
room_find_refusal(const struct room *room, size_t gpu, size_t type) NONNULL;
