/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vGPUs that are mediated devices, and the functions on which they are made.
 */
#ifndef SHAPED_MDEV_H
#define SHAPED_MDEV_H

#include <linux/pci.h>

#include "vgpu.h"

int mdev_init(void);

void mdev_exit(void);

/* Makes the function offer types. It is a card's physical function, or a VF, which takes one
 * vGPU. */
int parent_probe(struct pci_dev *pdev, struct card *card);

void parent_remove(struct pci_dev *pdev);

struct vgpu *mdev_vgpu(struct device *dev);

#endif
