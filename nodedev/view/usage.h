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
