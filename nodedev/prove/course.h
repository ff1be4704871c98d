/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * course: which types of an empty GPU are tried, and about how many steps the trial takes. Pure.
 *
 * One type of each size is tried: of each frame buffer size, and of each size of GPU instance
 * (MIG). All types without a size are tried. A type is tried only if the empty GPU has room for it.
 *
 *     fill    each type alone: vGPUs are made until there is no room, and removed again
 *     pair    each two types that the driver offers together: one vGPU of each is made, and they
 *             are removed in this order; then both are made again, and removed in the other order
 *
 * Only the driver knows whether a GPU takes several sizes at a time. So the steps have two bounds.
 */

#pragma once

#include "placement/gpu-room.h"

/* A part of the trial. */
struct course_part {
    size_t type;         /* index into the course's types */
    size_t beside;       /* a pair: the index of the other type; COURSE_ALONE: a fill */
    struct bounds steps; /* most may be BOUNDS_ANY. There are fewer if the driver refuses a vGPU */
};
#define COURSE_ALONE SIZE_MAX

struct course {
    const struct inventory_type **types; /* of the empty GPU */
    size_t count;
    struct course_part *parts; /* in their order: first all fills, then all pairs */
    size_t part_count;
};

/* usable has a flag for each parent of the GPU: vGPUs may be made there. The caller
 * clears ret. */
void course_choose(const struct gpu_load *empty, const bool *usable, bool all,
                   struct course *ret) NONNULL;
void course_clear(struct course *course) NONNULL;

/* The steps of all parts. */
struct bounds course_steps(const struct course *course) CHECKED NONNULL;
