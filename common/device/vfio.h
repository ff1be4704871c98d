/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vfio: the device nodes by which a guest has a vGPU open, of whatever kind it is.
 *
 * `device` is the device's directory below root, where the kernel's drivers/vfio puts the link
 * iommu_group and, from 6.1, the directory vfio-dev.
 */

#pragma once

#include "base/host.h"

/* The node of its group, "dev/vfio/12": with its leading directories, as a link in /proc ends in
 * it. 0 or -errno. */
int vfio_node(const struct host *host, const struct path *device, struct path *ret) CHECKED NONNULL;

/*
 * Proves that nobody has it open: 0, and in *proof the open group, which keeps everybody else out;
 * or -1 where there are no groups, and nobody was seen to have the device's own node. -EBUSY if it
 * is in use or that cannot be told; -ENODEV if it is going.
 */
int vfio_prove(const struct host *host, const struct path *device, int *proof) CHECKED NONNULL;
