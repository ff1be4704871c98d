/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu-room: what a GPU can still take beside its load (gpu-load.h). Pure, and the only place that
 * counts.
 *
 * The answer has two bounds. At least `least` vGPUs fit for sure, and never more than `most`. The
 * bounds differ if something about the GPU is not known. The rules are:
 *
 * - The driver's word counts for the GPU as it was seen. If a driver offers nothing on a GPU
 *   without vGPUs, nobody knows why, and nothing is known of another day. If a driver offers fewer
 *   vGPUs than fit beside those that are there, something that no file tells has frame buffer. That
 *   may grow, so the offer is no promise.
 * - Limits bind, too (device/limit.h). What a limit leaves can be had for sure only if the limit
 *   says so (is_enough). On a GPU that takes one size at a time, the memory binds on another day
 *   only.
 * - A virtual function takes one vGPU. Several functions may offer the same place, so their offers
 *   do not add up for sure.
 * - A virtual function of Intel's may have more memory by itself than its vGPU has. Then a drop
 *   leaves less memory, or more: that depends on the order (gpu-load.h).
 * - A vGPU that is dropped makes one place for sure, for a type of its size. How many more it makes
 *   is not known, so `most` grows to what the limits leave.
 * - Some drivers of NVIDIA take one type at a time, and others one size. No file tells which. So
 *   beside vGPUs that stay, a drop makes no sure place for a type that did not go and that the
 *   driver does not offer.
 * - A vGPU that leaves a GPU instance (MIG) makes place only for types of its own instance size.
 * - vGPUs of two sizes are not put on a GPU that takes one size at a time. For GPU instances (MIG)
 *   this rule may not hold: another instance may be free, or take mixed sizes. No file tells the
 *   mode of an instance, so a second size is never sure, and only the driver's word refuses it.
 *
 * The policy, quotas and refusals of the kernel are judged elsewhere.
 *
 * An example: a T4 has 13 T4-1B, takes at most 16, and its driver says that it takes 3 more. So
 * there is room for 3, for sure. A claim puts one on its load: 2. Two of the 13 would be removed:
 * 4, for sure. For a T4-2B there is room for none, until all 13 are dropped.
 */

#pragma once

#include "placement/gpu-load.h"

/* Why there is no more, or why that is not known. The later values came closer to room. */
enum room_why {
    ROOM_NEVER,      /* the parent takes no such type */
    ROOM_UNREADABLE, /* the driver's word could not be read: see error */
    ROOM_FULL,
    ROOM_IN_USE,     /* a process has the function open, though no lease gives it to anybody */
    ROOM_OTHER_SIZE, /* a vGPU of another size is on the GPU, or is being made there */
    ROOM_WITHHELD,   /* not known: the driver offers nothing, though no vGPU is there */
    ROOM_UNTOLD,     /* not known: the driver does not tell how many a GPU takes */
    ROOM_MIXING,     /* not known: the driver does not tell whether a GPU takes several sizes */
    ROOM_FREE,
};

/* At least `least` vGPUs fit for sure, and never more than `most`. If the two differ, the number is
 * not known, and `why` says what is missing. */
struct bounds {
    unsigned least, most;
    enum room_why why;
    int error; /* errno of ROOM_UNREADABLE */
};
#define BOUNDS_ANY UINT_MAX /* as `most`: no limit is known */

/* Numbers to print: how many vGPUs fit, and how many fit at most; -1: not known. */
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

/* How many more of its type a place takes. */
struct bounds gpu_room_at(const struct gpu_load *load, const struct place *place) CHECKED NONNULL;

/* The same by the driver's word alone. The word may be more than the driver's own maximum leaves,
 * and some callers compare the two. The answer is that of gpu_room_at if the word could not be
 * read, or does not know of a limit that binds. The GPU must be as it was seen. */
struct bounds gpu_room_told(const struct gpu_load *load, const struct place *place) CHECKED NONNULL;

/* How many more vGPUs of a type the GPU takes on its usable parents. usable: a flag per parent of
 * the GPU; NULL: all are usable. */
struct bounds gpu_room_left(const struct gpu_load *load, const struct inventory_type *type,
                            const bool *usable) CHECKED __attribute__((nonnull(1, 2)));

/* What is left of one of the GPU's limits, in its unit. */
struct bounds gpu_room_rest(const struct gpu_load *load, size_t limit) CHECKED NONNULL;

/* Whether a vGPU may keep a type from being made. Then a drop of it may help. */
bool gpu_room_is_in_the_way(const struct gpu_load *load, const struct inventory_vgpu *vgpu,
                            const struct inventory_type *type) CHECKED NONNULL;
