// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver that gives a VF of an xe card to a guest. Such a guest can be migrated. It is a module
 * of its own, which libvirt finds by its alias. It binds only VFs that name it in driver_override.
 * Newer kernels have such a driver, xe-vfio-pci, for real cards. So this one has another name, and
 * its alias says more, because libvirt takes the most specific one. libvirt does not understand an
 * alias that names the programming interface, too.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "vf.h"

static int
probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
    return vgpu_cards_vf_probe(pdev, VF_PROFILED);
}

static const struct pci_device_id ids[] = {{.vendor = PCI_VENDOR_ID_INTEL,
                                            .device = XE_DEVICE,
                                            .subvendor = PCI_ANY_ID,
                                            .subdevice = PCI_ANY_ID,
                                            .class = PCI_CLASS_DISPLAY_OTHER << 8,
                                            .class_mask = 0xffff00,
                                            .override_only = PCI_ID_F_VFIO_DRIVER_OVERRIDE},
                                           {}};
MODULE_DEVICE_TABLE(pci, ids);

static struct pci_driver xe_vfio_driver = {
    .name = "vgpu-cards-xe-vfio",
    .id_table = ids,
    .probe = probe,
    .remove = vgpu_cards_vf_remove,
    .driver_managed_dma = true,
};
module_pci_driver(xe_vfio_driver);

MODULE_LICENSE("GPL v2");
MODULE_AUTHOR("The authors of libvirt-vgpu");
MODULE_DESCRIPTION("Gives VFs of the emulated Intel cards of vgpu-cards to guests; for tests only");
