/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A virtual function that is a vGPU itself. The driver that binds it says of which kind: NVIDIA's
 * vendor-specific VFIO, a function of an xe card with a profile, or a bare function.
 */
#ifndef VGPU_CARDS_VF_H
#define VGPU_CARDS_VF_H

#include <linux/pci.h>

#include "vgpu.h"

enum vf_kind { VF_TYPED, VF_PROFILED, VF_BARE };

int vf_probe(struct pci_dev *pdev, struct card *card, enum vf_kind kind);

/* For the two modules that give functions to guests. -ENODEV: the function is none of our VFs, or
 * cannot be of this kind. */
int vgpu_cards_vf_probe(struct pci_dev *pdev, enum vf_kind kind);

void vgpu_cards_vf_remove(struct pci_dev *pdev);

struct vgpu *vf_vgpu(struct device *dev);

#endif
