/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * room: how full a GPU is, in MiB of its frame buffer, or in vGPUs where no sizes are known.
 *
 * What is free is what `types` says of its types, and not what is merely unused: the most frame
 * buffer that guests could still get, if all of them ask for the type of which that is most. So it
 * is 0 on a GPU that is drained, and less than the rest where a rest can be given to nobody.
 */

#pragma once

#include "view/host-view.h"

struct room {
    bool is_in_vgpus; /* the figures are numbers of vGPUs */
    int total;        /* -1: not known */
    int used;         /* by vGPUs that are there, or that somebody has a claim on; -1: not known */
    struct bounds free;
};

/* The view is of a host that was asked for all types, and for the availability. */
void room_of(const struct host_view *view, size_t gpu, struct room *ret) NONNULL;

/* The part of it that a vGPU takes: MiB, or 1; -1: not known. */
int room_share(const struct host_view *view, const struct room *room,
               const struct host_view_vgpu *vgpu) CHECKED NONNULL;
