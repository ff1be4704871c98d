/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-type: what the name of one of NVIDIA's types tells. What its id tells: nvidia-number.h.
 *
 * A name has the board, the size in GB and the series: "GRID T4-1B", "NVIDIA A40-48C". A type for
 * GPU instances (MIG) also has the slices: 1 of "NVIDIA A100-1-5C".
 */

#pragma once

#include "device/inventory.h"

/* These three are for the row of vendor.h. A type is NVIDIA's because its card is. If the type is
 * on no card, its id decides. */
bool nvidia_type_is(const struct inventory_type *type) CHECKED NONNULL;
void nvidia_type_describe(struct inventory_type *type) NONNULL;

/* NVIDIA AI Enterprise documentation 8.1, "Multi-vGPU": several vGPUs of one guest may have unlike
 * frame buffers, "provided the board type and the series of all the vGPUs are the same". */
bool nvidia_type_may_combine(const struct inventory_type *a,
                             const struct inventory_type *b) CHECKED NONNULL;
