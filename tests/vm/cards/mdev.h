/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vGPUs that are mediated devices, and the functions that they are made on.
 */
#ifndef SHAPED_MDEV_H
#define SHAPED_MDEV_H

#include <linux/pci.h>

#include "vgpu.h"

int mdev_init(void);

void mdev_exit(void);

/* This function offers types from now on: a card's, or a VF that takes one vGPU. */
int parent_probe(struct pci_dev *pdev, struct card *card);

void parent_remove(struct pci_dev *pdev);

struct vgpu *mdev_vgpu(struct device *dev);

#endif
