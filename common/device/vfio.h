/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vfio: the device nodes by which a guest has a vGPU open, of whatever kind it is.
 *
 * `device` is the device's directory below root, where the kernel's drivers/vfio puts the link
 * iommu_group and, from 6.1, the directory vfio-dev.
 */

#pragma once

#include "device/open-files.h"

/* The node of its group, "dev/vfio/12". Links in /proc/PID/fd end in that path. 0 or -errno. */
int vfio_node(const struct host *host, const struct path *device, struct path *ret) CHECKED NONNULL;

/* Whether it has a node at all, by which somebody could have it open: a device that is bound to no
 * VFIO driver has none. */
bool vfio_has_node(const struct host *host, const struct path *device) CHECKED NONNULL;

/*
 * A process that has it open, by its group's node or by its own: its pid; 0 if none was found;
 * -EACCES if none was found, but not all processes could be looked at. For messages: it may be gone
 * by now, and another there.
 */
int vfio_holder(const struct host *host, const struct open_files *files,
                const struct path *device) CHECKED NONNULL;

/* Whether somebody has it open, or may have: not all processes could be looked at. It
 * looks at all open files. */
bool vfio_may_be_open(const struct host *host, const struct path *device) CHECKED NONNULL;

/*
 * Proves that nobody has the device open: 0. *proof is the opened group, and nobody else can use
 * the device before the caller closes it. *proof is -1 on a kernel without groups.
 *
 * A group that opens proves nothing by itself where the device has a node of its own: who has that
 * open is kept from the group only once he has bound it to an iommufd, and while the group is open
 * that fails (drivers/vfio/device_cdev.c). So no process may be found that has it open, and all
 * must have been looked at. -EBUSY if it is in use, or if that is not known; -ENODEV if it is being
 * removed.
 */
int vfio_prove(const struct host *host, const struct path *device, int *proof) CHECKED NONNULL;
