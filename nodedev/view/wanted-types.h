/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * wanted-types: the types of a GPU, the most interesting first, with how many more of each the GPU
 * takes.
 *
 * First come the types that most vGPUs of the host have or most domains ask for, running or
 * defined. Then come the types that classes of vgpu.conf name. Then come the types of which most
 * fit.
 */

#pragma once

#include "view/host-view.h"

struct wanted_type {
    const struct inventory_type *type;
    unsigned asked; /* how many vGPUs have it or are asked for */
    bool is_in_class;
    struct bounds left;    /* how many more of it fit, from host_view_left */
    bool is_first_of_size; /* no type of its size comes before it */
};

/* Returns all types of a GPU. The caller frees the array. */
struct wanted_type *
wanted_types_find(const struct host_view *view, const struct inventory_gpu *gpu) CHECKED NONNULL;
