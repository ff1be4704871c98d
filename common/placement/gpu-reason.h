/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu-reason: why a GPU cannot take what is demanded, or that it can, with the figures of that GPU.
 * The words are for people. Pure.
 */

#pragma once

#include "placement/loads.h"
#include "placement/reason.h"

#define GPU_REASON_MOST 512 /* bytes of the words */

/* For programs: how many vGPUs there are, of how many at most, and how many more there may be. A
 * quota counts the vGPUs of its class on the host. Any other reason counts those of the GPU.
 * Negative: the reason has no such figure, or nobody knows it. */
struct gpu_figures {
    int64_t used, limit, room, room_at_most;
};
extern const struct gpu_figures gpu_figures_none;

struct gpu_reason {
    enum reason reason;         /* the best over the types that will do */
    char text[GPU_REASON_MOST]; /* the words after the GPU's name: "is full (16 of 16)" */
    struct gpu_figures figures;
};

/* Tells what is against a GPU for a demand, or that nothing is. */
void gpu_reason_tell(const struct loads *loads, const struct demand *demand,
                     const struct inventory_gpu *gpu, struct gpu_reason *ret) NONNULL;
