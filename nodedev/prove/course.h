/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * course: which types of an empty GPU are tried, and about how many steps that takes. Pure.
 *
 * One type of each size is tried: of each frame buffer size, and of each size of GPU instance
 * (MIG). Types without a size are all tried. Only types are tried of which the empty GPU has room.
 *
 *     fill    each type alone: vGPUs are made until there is no room, and removed again
 *     pairs   each two types that the driver offers together: one of each is made; they are removed
 *             in that order, then, once more, in the other
 */

#pragma once

#include "placement/gpu-room.h"

#define COURSE_PAIR_STEPS 8 /* for each two types: two vGPUs are made and removed, twice */

struct course {
    size_t *types; /* of the GPU */
    size_t count;
    unsigned steps; /* about how many; a refusal of the driver makes them fewer */
};

/* usable: a flag per parent of the load's inventory: whether vGPUs may be made there. The caller
 * clears ret. */
void course_choose(const struct gpu_load *empty, const bool *usable, bool all,
                   struct course *ret) NONNULL;
void course_clear(struct course *course) NONNULL;
