/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * usage: how full a GPU is, in MiB of its frame buffer. The unit is vGPUs where sizes are not
 * known.
 *
 * `free` is what guests can still get, and agrees with `vgpuctl types`. Each type has so many
 * places left; `free` is the frame buffer of the type that can get the most. A drained GPU has
 * none. A rest that fits no type is not free.
 */

#pragma once

#include "view/host-view.h"

struct usage {
    bool is_in_vgpus; /* the figures are numbers of vGPUs */
    int total;        /* -1: not known */
    int used;         /* of vGPUs, and of places that a lease has; -1: not known */
    struct bounds free;
};

/* The view is of a host that was asked for all types, and for the availability. */
void usage_of(const struct host_view *view, size_t gpu, struct usage *ret) NONNULL;

/* The part of a GPU that a vGPU takes: MiB, or 1 vGPU; -1: not known. */
int usage_share(const struct host_view *view, const struct usage *usage,
                const struct host_view_vgpu *vgpu) CHECKED NONNULL;
