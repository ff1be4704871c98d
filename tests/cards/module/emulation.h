/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PCI device that a guest sees of a vGPU. It has only what QEMU needs. An mdev and a VF show
 * the same device, so that a guest can migrate from one to the other. The VFIO operations of both
 * use these functions.
 */
#ifndef VGPU_CARDS_EMULATION_H
#define VGPU_CARDS_EMULATION_H

#include "versions.h"

#include <linux/vfio.h>

/* Opens the vGPU, as vgpu_open does. The configuration space is as after power-on. */
int emulation_open(struct vfio_device *vdev);

void emulation_close(struct vfio_device *vdev);

ssize_t emulation_read(struct vfio_device *vdev, char __user *to, size_t size, loff_t *pos);

ssize_t
emulation_write(struct vfio_device *vdev, const char __user *from, size_t size, loff_t *pos);

long emulation_ioctl(struct vfio_device *vdev, unsigned int command, unsigned long argument);

#if IS_NEW
int emulation_region(struct vfio_device *vdev, struct vfio_region_info *info,
                     struct vfio_info_cap *caps);
#define EMULATION_CALLS .ioctl = emulation_ioctl, .get_region_info_caps = emulation_region
#else
#define EMULATION_CALLS .ioctl = emulation_ioctl
#endif

#if IS_OLD
#define EMULATION_IOMMU .release = vfio_free_device
#else
#define EMULATION_IOMMU                                                                            \
    .bind_iommufd = vfio_iommufd_emulated_bind, .unbind_iommufd = vfio_iommufd_emulated_unbind,    \
    .attach_ioas = vfio_iommufd_emulated_attach_ioas,                                              \
    .detach_ioas = vfio_iommufd_emulated_detach_ioas
#endif

/* What an mdev and a VF have in common of their operations. Only names, open and close differ. */
#define EMULATION_OPS                                                                              \
    EMULATION_IOMMU, EMULATION_CALLS, .read = emulation_read, .write = emulation_write

#endif
