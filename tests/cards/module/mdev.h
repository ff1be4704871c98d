/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vGPUs that are mediated devices, and the functions on which they are made. A kernel without
 * mediated devices has no such functions, so nothing of this is called there.
 */
#ifndef VGPU_CARDS_MDEV_H
#define VGPU_CARDS_MDEV_H

#include <linux/pci.h>

#include "vgpu.h"

#define HAS_MDEV IS_ENABLED(CONFIG_VFIO_MDEV)

#if HAS_MDEV

int mdev_init(void);

void mdev_exit(void);

/* Makes the function offer types. It is a card's physical function, or a VF, which takes one
 * vGPU. */
int parent_probe(struct pci_dev *pdev, struct card *card);

void parent_remove(struct pci_dev *pdev);

struct vgpu *mdev_vgpu(struct device *dev);

#else

static inline int
mdev_init(void)
{
    return 0;
}

static inline void
mdev_exit(void)
{
}

static inline int
parent_probe(struct pci_dev *pdev, struct card *card)
{
    return -EOPNOTSUPP;
}

static inline void
parent_remove(struct pci_dev *pdev)
{
}

static inline struct vgpu *
mdev_vgpu(struct device *dev)
{
    return NULL;
}

#endif

#endif
