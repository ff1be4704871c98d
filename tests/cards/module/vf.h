/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A virtual function that is a vGPU itself: vendor-specific VFIO.
 */
#ifndef SHAPED_VF_H
#define SHAPED_VF_H

#include <linux/pci.h>

#include "vgpu.h"

int vf_probe(struct pci_dev *pdev, struct card *card);

void vf_remove(struct pci_dev *pdev);

struct vgpu *vf_vgpu(struct device *dev);

#endif
