/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-type: what the id and the name of one of NVIDIA's types tell.
 *
 * The numbers of the types are the same under both interfaces of the driver: 222 in
 * current_vgpu_type is the type of the directory nvidia-222 of mediated devices. This program
 * always calls the type "nvidia-222". See the NVIDIA vGPU software user guide.
 *
 * A name has the board, the size in GB and the series: "GRID T4-1B", "NVIDIA A40-48C". A type for
 * GPU instances (MIG) also has the slices: 1 of "NVIDIA A100-1-5C".
 */

#pragma once

#include "device/inventory.h"

/* Returns the number of a type such as "nvidia-222", above 0. Returns 0 for any other name. */
unsigned nvidia_type_number(const struct name *id) CHECKED NONNULL;
void nvidia_type_id(unsigned number, struct name *ret) NONNULL;

/* These three are for the row of vendor.h. */
bool nvidia_type_is(const struct inventory_type *type) CHECKED NONNULL;
void nvidia_type_describe(struct inventory_type *type) NONNULL;

/* NVIDIA AI Enterprise documentation 8.1, "Multi-vGPU": several vGPUs of one guest may have unlike
 * frame buffers, "provided the board type and the series of all the vGPUs are the same". */
bool nvidia_type_may_combine(const struct inventory_type *a,
                             const struct inventory_type *b) CHECKED NONNULL;
