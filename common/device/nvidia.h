/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia: what NVIDIA's driver says and takes in the same way under both interfaces.
 *
 * Its types have numbers, the same under both: 222 of current_vgpu_type is the directory nvidia-222
 * of a mediated device's type, and that is what everybody here calls it. See the NVIDIA vGPU
 * software user guide.
 */

#pragma once

#include "device/inventory.h"

/* The number of "nvidia-222", above 0; 0 for any other name. */
unsigned nvidia_type_number(const struct name *id) CHECKED NONNULL;
void nvidia_type_id(unsigned number, struct name *ret) NONNULL;

/* What the name of a type tells that nothing else did: the last word is BOARD-GBSERIES, "T4-1B", or
 * for a GPU instance BOARD-SLICES-GBSERIES, "A100-1-5C"; 0 GB are half a one. */
void nvidia_describe(struct inventory_type *type) NONNULL;

/*
 * Sets driver parameters, "name=value, name=value", instead of those there are ("": none), in the
 * vgpu_params of a device's directory below root: 0 or -errno; -ENOENT if there are none to set.
 */
int nvidia_configure(const struct host *host, const struct path *device,
                     const char *params) CHECKED NONNULL;
