/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * usage: how full a GPU is, in MiB of its frame buffer. If sizes are not known, the unit is vGPUs.
 *
 * `free` is what guests can still get, and agrees with `vgpuctl types`. Each type has a number of
 * places left. `free` is the frame buffer of these places, for the type that can get the most. A
 * drained GPU has none. Memory in which no type fits is not free.
 */

#pragma once

#include "view/host-view.h"

struct gpu_usage {
    bool is_in_vgpus; /* the figures are numbers of vGPUs */
    int total;        /* -1: not known */
    int used;         /* by vGPUs, and by places that leases hold; -1: not known */
    struct bounds free;
};

/* The view must have all types and the availability. */
void usage_of(const struct host_view *view, const struct inventory_gpu *gpu,
              struct gpu_usage *ret) NONNULL;

/* Returns the part of a GPU that a vGPU takes: MiB, or 1 vGPU; -1 if it is not known. */
int usage_share(const struct host_view *view, const struct gpu_usage *usage,
                const struct host_view_vgpu *vgpu) CHECKED NONNULL;

/* --- the types of a GPU, the most interesting first ------------------------------------------- */

/* First come the types that most vGPUs of the host have or most domains ask for, running or
 * defined. Then come the types that classes of vgpu.conf name. Then come the types of which most
 * fit. */
struct wanted_type {
    const struct inventory_type *type;
    unsigned asked; /* how many vGPUs have it or are asked for */
    bool is_in_class;
    struct bounds left;    /* how many more of it fit, from host_view_left */
    bool is_first_of_size; /* no type of its size comes before it */
};

/* Returns all types of a GPU, with how many more of each the GPU takes. The caller frees the array.
 */
struct wanted_type *
wanted_types_find(const struct host_view *view, const struct inventory_gpu *gpu) CHECKED NONNULL;
