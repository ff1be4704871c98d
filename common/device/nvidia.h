/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia: what NVIDIA's driver says and takes in the same way under both interfaces.
 *
 * Its types have the same numbers under both: 222 in current_vgpu_type is the type of the directory
 * nvidia-222 of mediated devices. Here it is always called "nvidia-222". See the NVIDIA vGPU
 * software user guide.
 */

#pragma once

#include "device/vgpu.h"

/* The number of "nvidia-222", above 0; 0 for any other name. */
unsigned nvidia_type_number(const struct name *id) CHECKED NONNULL;
void nvidia_type_id(unsigned number, struct name *ret) NONNULL;

/* Fills in the frame buffer and the slices from a type's name, if they are not known, and the
 * driver's ceiling. The name's last word is BOARD-GBSERIES, "T4-1B", or for a GPU instance
 * BOARD-SLICES-GBSERIES, "A100-1-5C". 0 GB mean 512 MiB. */
void nvidia_describe(struct inventory_type *type) NONNULL;

/* Whether a GPU has the driver of a host of vGPUs, and not the one that makes none. */
bool nvidia_has_host_driver(const struct host *host, const struct name *gpu) CHECKED NONNULL;

/* Counts the GPU instances (MIG) of a GPU, as /proc/driver/nvidia shows them, if somebody needs to
 * know: the GPU has types that need one, or it offers nothing. Nothing if they cannot be seen. */
void
nvidia_find_instances(const struct host *host, struct inventory *inventory, size_t gpu) NONNULL;

/* Reads a number that the driver gave to a vGPU, "placement_id" or "gpu_instance_id", in its
 * directory below root; card is its GPU. -errno: it has none. */
int nvidia_read_id(const struct host *host, const struct name *card, const struct path *device,
                   const char *id, uint64_t *ret) CHECKED NONNULL;

/* The row `configure` of vgpu.h, for both interfaces: writes vgpu_params in the directory of a
 * vGPU. */
int nvidia_configure(const struct host *host, const struct vgpu *vgpu,
                     const char *params) CHECKED NONNULL;

/* The parameters that a vGPU has, as its driver shows them: their length, or -errno, as of
 * host_read. */
ssize_t nvidia_read_params(const struct host *host, const struct vgpu *vgpu, char *ret,
                           size_t size) CHECKED NONNULL;

/* The first of such parameters with which the driver migrates no vGPU, as its guide says: one that
 * turns on unified memory, debuggers or profilers. NULL: there is none; else static. */
const char *nvidia_find_immovable(const char *params) CHECKED NONNULL;

/* The version of the driver, and so of its vGPU manager, "580.65.05": its length, or -errno. */
ssize_t nvidia_read_version(const struct host *host, char *ret, size_t size) CHECKED NONNULL;
