/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu-room: what a GPU can still take beside its load (gpu-load.h). Pure, and the only place that
 * counts.
 *
 * The answer has two bounds: so many for sure, and never more than so many. They differ where
 * nobody knows. These rules make them:
 *
 * - The driver's word counts for the GPU as it was seen.
 * - Limits bind always (device/limit.h). What they leave can be had for sure if the driver told
 * them.
 * - A function takes one vGPU. What several functions offer may be the same place.
 * - A drop adds one place for sure: for a type of the same size. `most` grows to what the limits
 *   leave.
 * - A vGPU on a GPU instance (MIG) makes place for types of its own instance size only.
 * - vGPUs of two sizes are not put on a GPU that takes one size at a time.
 *
 * What policy forbids, quotas, and what the kernel refused are not the room's.
 */

#pragma once

#include "placement/gpu-load.h"

/* Why there is no more, or why it is not known. The further down, the closer it came. */
enum room_why {
    ROOM_NEVER,      /* the parent takes no such type */
    ROOM_UNREADABLE, /* the driver's word could not be read: see error */
    ROOM_FULL,
    ROOM_IN_USE,     /* a process has the function open, though nobody gave it */
    ROOM_OTHER_SIZE, /* a vGPU of another size is on the GPU, or is being made there */
    ROOM_UNTOLD,     /* not known: the driver does not tell how many a GPU takes */
    ROOM_MIXING,     /* not known: the driver does not tell whether a GPU takes several sizes */
    ROOM_FREE,
};

/* So many for sure, and never more than so many. least < most: it is not known, and `why` says what
 * is not. */
struct bounds {
    unsigned least, most;
    enum room_why why;
    int error; /* errno of ROOM_UNREADABLE */
};
#define BOUNDS_ANY UINT_MAX /* as `most`: nobody says */

/* For who prints them: how many there are, and how many at most; -1: that is not known. */
static inline int64_t
bounds_figure(const struct bounds *bounds)
{
    return bounds->least == bounds->most ? (int64_t)bounds->most : -1;
}

static inline int64_t
bounds_most(const struct bounds *bounds)
{
    return bounds->most == BOUNDS_ANY ? -1 : (int64_t)bounds->most;
}

/* How many more of a type one parent takes. */
struct bounds gpu_room_at(const struct gpu_load *room, size_t type, size_t parent) CHECKED NONNULL;

/* How many the GPU takes, on those of its parents that may be used: a flag per parent of the
 * inventory; NULL: on all. */
struct bounds gpu_room_left(const struct gpu_load *room, size_t type, const bool *usable) CHECKED
    __attribute__((nonnull(1)));

/* What is left of one of the GPU's limits, in its unit. */
struct bounds gpu_room_rest(const struct gpu_load *room, size_t limit) CHECKED NONNULL;

/* Whether a vGPU could be what keeps a type from being made: a drop of it may help. */
bool gpu_room_is_in_the_way(const struct gpu_load *room, size_t vgpu, size_t type) CHECKED NONNULL;
