/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu-room: what one GPU can still take. Pure, and the only place that counts.
 *
 * A room begins as the inventory shows the GPU. Then vGPUs are put into it, and dropped from it: a
 * claim of another process, a choice of a search, a vGPU that would be removed. After each step the
 * room says how many more of a type there is place for. gpu_room_rewind takes steps back.
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

#include "device/inventory.h"

enum room_time {
    ROOM_NOW,
    ROOM_EVER, /* another day: whether the GPU takes several sizes is not known, nor what it could
                  not tell today; the limits leave what can be had */
};

/* Why there is no more, or why it is not known. The further down, the closer it came. */
enum room_why {
    ROOM_NEVER,      /* the parent takes no such type */
    ROOM_UNREADABLE, /* the driver's word could not be read: see error */
    ROOM_FULL,
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

/* A vGPU that is put. */
struct room_use {
    size_t parent;        /* index into the inventory's parents */
    size_t type;          /* of the GPU's, or ROOM_NO_TYPE: one that the GPU does not list */
    unsigned framebuffer; /* MiB of such a one; 0: not known */
};
#define ROOM_NO_TYPE SIZE_MAX

struct gpu_room {
    const struct inventory *inventory; /* borrowed */
    size_t gpu;
    enum room_time time;
    size_t *parents; /* of the GPU: indices into the inventory's */
    size_t parent_count;
    size_t made, puts, drops;             /* vGPUs that stay, that were put, that were dropped */
    size_t sized_staying, sized_puts; /* of these, those whose frame buffer is known */

    /* What the functions below keep. */
    struct room_parent *on;   /* per parent of the inventory */
    struct room_count *types; /* per type of the GPU, and one for types that it does not list */
    uint64_t *used;           /* per limit of the GPU */
    struct room_step *steps;
    size_t step_count;
};

/* As the inventory shows it. The caller clears it. */
void gpu_room_init(struct gpu_room *room, const struct inventory *inventory, size_t gpu,
                   enum room_time time) NONNULL;
void gpu_room_clear(struct gpu_room *room) NONNULL;

/* Puts a vGPU on a parent, whether it fits or not; or drops one that the inventory shows (an index
 * into its vgpus). Both return the mark that takes the step back, and all steps after it. */
size_t gpu_room_put(struct gpu_room *room, const struct room_use *use) NONNULL;
size_t gpu_room_drop(struct gpu_room *room, size_t vgpu) NONNULL;
void gpu_room_rewind(struct gpu_room *room, size_t mark) NONNULL;

/* How many more of a type one parent takes. */
struct bounds gpu_room_at(const struct gpu_room *room, size_t type, size_t parent) CHECKED NONNULL;

/* How many the GPU takes, on those of its parents that may be used: a flag per parent of the
 * inventory; NULL: on all. */
struct bounds gpu_room_left(const struct gpu_room *room, size_t type, const bool *usable) CHECKED
    __attribute__((nonnull(1)));

/* What is left of one of the GPU's limits, in its unit. */
struct bounds gpu_room_rest(const struct gpu_room *room, size_t limit) CHECKED NONNULL;

/* Whether a parent takes one vGPU at most: it is a virtual function. */
bool gpu_room_is_single(const struct gpu_room *room, size_t parent) CHECKED NONNULL;

/* Whether a vGPU could be what keeps a type from being made: a drop of it may help. */
bool gpu_room_is_in_the_way(const struct gpu_room *room, size_t vgpu, size_t type) CHECKED NONNULL;
