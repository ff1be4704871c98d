/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vfio: the device nodes by which a guest has a vGPU open, of whatever kind it is.
 *
 * `device` is the device's directory below root, where the kernel's drivers/vfio puts the link
 * iommu_group and, from 6.1, the directory vfio-dev.
 */

#pragma once

#include "base/host.h"

/* The node of its group, "dev/vfio/12". Links in /proc/PID/fd end in that path. 0 or -errno. */
int vfio_node(const struct host *host, const struct path *device, struct path *ret) CHECKED NONNULL;

/*
 * Proves that nobody has the device open: 0. *proof is the opened group, and nobody else can open
 * the device before the caller closes it; or -1 on a kernel without groups, if no process was found
 * that has the device's own node open. -EBUSY if it is in use, or if that is not known; -ENODEV if
 * it is being removed.
 */
int vfio_prove(const struct host *host, const struct path *device, int *proof) CHECKED NONNULL;
