/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PCI device that a guest sees of a vGPU: as little as QEMU is content with, and the same of an
 * mdev and of a VF, so that a guest can go from one to the other. For the tables of both.
 */
#ifndef SHAPED_EMULATION_H
#define SHAPED_EMULATION_H

#include "versions.h"

#include <linux/vfio.h>

/* As vgpu_open; the configuration space is as after power-on. */
int emulation_open(struct vfio_device *vdev);

void emulation_close(struct vfio_device *vdev);

ssize_t emulation_read(struct vfio_device *vdev, char __user *to, size_t size, loff_t *pos);

ssize_t
emulation_write(struct vfio_device *vdev, const char __user *from, size_t size, loff_t *pos);

long emulation_ioctl(struct vfio_device *vdev, unsigned int command, unsigned long argument);

#if IS_NEW
int emulation_region(struct vfio_device *vdev, struct vfio_region_info *info,
                     struct vfio_info_cap *caps);
#endif

#endif
