/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * wanted-types: the types of a GPU in the order in which people want to know how many more there is
 * room for.
 *
 * First those that most of the host's vGPUs have or its domains ask for, running or defined; then
 * those that classes of vgpu.conf name; then those of which there is most room.
 */

#pragma once

#include "view/host-view.h"

struct wanted_type {
    size_t type;    /* of the GPU */
    unsigned asked; /* how often */
    bool is_in_class;
    struct bounds left;    /* how many more of it there are: host_view_left's */
    bool is_first_of_size; /* there is none of its size before it */
};

/* All of a GPU's types, in an array that the caller frees. */
struct wanted_type *wanted_types_find(const struct host_view *view, size_t gpu) CHECKED NONNULL;

/* Whether somebody asks for it, or could get it. */
bool wanted_type_matters(const struct wanted_type *wanted) CHECKED NONNULL;
