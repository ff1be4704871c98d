// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver that gives a VF of an xe card to a guest. Such a guest can be migrated. It is a module
 * of its own, which libvirt finds by its alias. It binds only VFs that name it in driver_override.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "xe.h"

static int
probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
    return xe_vf_probe(pdev);
}

static const struct pci_device_id ids[] = {
    {PCI_DRIVER_OVERRIDE_DEVICE_VFIO(PCI_VENDOR_ID_INTEL, XE_DEVICE)}, {}};
MODULE_DEVICE_TABLE(pci, ids);

static struct pci_driver xe_vfio_driver = {
    .name = "xe-vfio-pci",
    .id_table = ids,
    .probe = probe,
    .remove = xe_vf_remove,
    .driver_managed_dma = true,
};
module_pci_driver(xe_vfio_driver);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Gives VFs of cards shaped like Intel's to guests; for tests only");
