/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vfio: the device nodes by which a guest has a vGPU open, whatever its interface.
 *
 * `device` is the device's directory below root. The kernel's drivers/vfio puts the link
 * iommu_group there, and, from 6.1, the directory vfio-dev.
 */

#pragma once

#include "device/open-files.h"

/* The path of the node of the device's group, "dev/vfio/12": 0 or -errno. */
int vfio_node(const struct host *host, const struct path *device, struct path *ret) CHECKED NONNULL;

/* Whether the device has a node by which somebody could have it open, or may have one. A device
 * that is bound to no VFIO driver has none. */
bool vfio_has_node(const struct host *host, const struct path *device) CHECKED NONNULL;

/*
 * A process that has the device open, by its group's node or by its own: its pid; 0: none was
 * found, or the device has no node; -EACCES: none was found, but not all processes could be looked
 * at. For messages only: it may be gone already, and another may have the device.
 */
int vfio_holder(const struct host *host, struct open_files *files,
                const struct path *device) CHECKED NONNULL;

/* Whether somebody has the device open, or may have: not all processes could be looked at. */
bool vfio_may_be_open(const struct host *host, const struct path *device) CHECKED NONNULL;

/*
 * Proves that nobody has the device open: 0. *proof is the opened group. Nobody else can use the
 * device before the caller closes it. *proof is -1 on a kernel without groups.
 *
 * If the device has a node of its own, a group that opens is no proof. A process with that node
 * open is kept from the group only once it has bound the node to an iommufd. While the group is
 * open, that binding fails (drivers/vfio/device_cdev.c). So all processes must have been looked at,
 * and none may have the node open. -EBUSY: the device is in use, or that is not known; -ENODEV: it
 * is being removed.
 */
int vfio_prove(const struct host *host, const struct path *device, int *proof) CHECKED NONNULL;
