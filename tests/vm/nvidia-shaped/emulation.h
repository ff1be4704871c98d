/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PCI device that a guest sees of an mdev: as little as QEMU is content with.
 */
#ifndef SHAPED_EMULATION_H
#define SHAPED_EMULATION_H

#include <linux/vfio.h>

#include "vgpu.h"

struct emulation {
    struct vfio_device vdev; /* first: VFIO allocates by it */
    struct vgpu *vgpu;       /* its configuration space is in the state that travels */
};

extern const struct vfio_device_ops emulation_ops;

void emulation_init(struct emulation *emulation, struct vgpu *vgpu);

#endif
