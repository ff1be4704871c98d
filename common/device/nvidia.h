/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia: what is common to both interfaces of NVIDIA's driver, and its row of vendor.h. The
 * ids of its types are a subject of their own (nvidia-number.h).
 */

#pragma once

#include "device/vgpu.h"

/* For a parent that is an NVIDIA card or a function of one: makes the id of a type
 * (nvidia-number.h) out of the name of its directory. Any other name stays as it is. */
void nvidia_give_id(const struct host *host, const struct name *parent, struct name *type) NONNULL;

/* Whether a GPU has NVIDIA's driver for vGPU hosts. The other driver makes no vGPUs. */
bool nvidia_has_host_driver(const struct host *host, const struct name *gpu) CHECKED NONNULL;

/* The node by which programs have a card open, "/dev/nvidia0": 0, or -errno if the driver tells no
 * number of the card. */
int nvidia_node(const struct host *host, const struct name *gpu, struct node *ret) CHECKED NONNULL;

/* Counts the GPU instances of a GPU (MIG) that the driver shows. Returns -errno if the driver does
 * not have the GPU, or cannot be asked. */
int nvidia_count_instances(const struct host *host, const struct name *gpu) CHECKED NONNULL;

/* Reads a number that the driver gave to a vGPU, "placement_id" or "gpu_instance_id". `device` is
 * the vGPU's directory below root, `card` its GPU. Returns -errno if it has none. */
int nvidia_read_id(const struct host *host, const struct name *card, const struct path *device,
                   const char *id, uint64_t *ret) CHECKED NONNULL;

/* The row `configure` of vgpu.h for both interfaces: writes vgpu_params in the directory of a
 * vGPU. */
int nvidia_configure(const struct host *host, const struct vgpu *vgpu,
                     const char *params) CHECKED NONNULL;

/* Reads the parameters of a vGPU as its driver shows them. Returns their length, or -errno as
 * host_read does. */
ssize_t nvidia_read_params(const struct host *host, const struct vgpu *vgpu, char *ret,
                           size_t size) CHECKED NONNULL;

/* Returns the first parameter that prevents migration, according to NVIDIA's guide: unified memory,
 * debuggers or profilers are on. Returns NULL if there is none. The text is static. */
const char *nvidia_find_immovable(const char *params) CHECKED NONNULL;

/* Reads the version of the driver, and so of its vGPU manager, such as "580.65.05". Returns its
 * length, or -errno. */
ssize_t nvidia_read_version(const struct host *host, char *ret, size_t size) CHECKED NONNULL;
