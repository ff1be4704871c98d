// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver that gives a bare VF to a guest, as a member of a pool. In our cards it stands for
 * vfio-pci, which needs hardware behind an IOMMU. libvirt finds it by its alias for VFs of MI300X.
 * By driver_override it takes any VF of our cards.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "vf.h"

static int
probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
    return vgpu_cards_vf_probe(pdev, VF_BARE);
}

static const struct pci_device_id ids[] = {
    {PCI_DRIVER_OVERRIDE_DEVICE_VFIO(PCI_VENDOR_ID_ATI, BARE_DEVICE)}, {}};
MODULE_DEVICE_TABLE(pci, ids);

static struct pci_driver vfio_driver = {
    .name = "vgpu-cards-vfio",
    .id_table = ids,
    .probe = probe,
    .remove = vgpu_cards_vf_remove,
    .driver_managed_dma = true,
};
module_pci_driver(vfio_driver);

MODULE_LICENSE("GPL v2");
MODULE_AUTHOR("The authors of libvirt-vgpu");
MODULE_DESCRIPTION("Gives bare VFs of the emulated cards of vgpu-cards to guests; for tests only");
