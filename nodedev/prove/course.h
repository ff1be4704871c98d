/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * course: which types of an empty GPU are tried, and about how many steps the trial takes. Pure.
 *
 * One type of each size is tried: of each frame buffer size, and of each size of GPU instance
 * (MIG). All types without a size are tried. A type is tried only if the empty GPU has room for it.
 *
 *     fill    each type alone: vGPUs are made until there is no room, and removed again
 *     pairs   each two types that the driver offers together: one vGPU of each is made, and they
 *             are removed in this order; then both are made again, and removed in the other order
 */

#pragma once

#include "placement/gpu-room.h"

#define COURSE_PAIR_STEPS 8 /* for each two types: two vGPUs are made and removed, twice */

struct course {
    size_t *types; /* indexes of the GPU's types */
    size_t count;
    unsigned steps; /* an estimate: there are fewer if the driver refuses a vGPU */
};

/* usable has a flag for each parent of the load's inventory: vGPUs may be made there. The caller
 * clears ret. */
void course_choose(const struct gpu_load *empty, const bool *usable, bool all,
                   struct course *ret) NONNULL;
void course_clear(struct course *course) NONNULL;
