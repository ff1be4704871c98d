// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/pci.h>

#include "bare.h"
#include "card.h"

/* The host may not have a VF of its own. */
static int
probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
    struct card *card = card_of(pdev);
    int ret;

    if (!card || card->shape != SHAPE_BARE || pdev->is_virtfn)
        return -ENODEV;
    ret = pci_enable_device(pdev);
    if (ret)
        return ret;
    ret = sysfs_create_group(&pdev->dev.kobj, &card_group);
    if (ret)
        pci_disable_device(pdev);
    return ret;
}

static void
remove(struct pci_dev *pdev)
{
    pci_disable_sriov(pdev);
    sysfs_remove_group(&pdev->dev.kobj, &card_group);
    pci_disable_device(pdev);
}

static const struct pci_device_id ids[] = {{PCI_DEVICE(PCI_VENDOR_ID_ATI, PCI_ANY_ID)}, {}};

static struct pci_driver driver = {
    .name = BARE_DRIVER,
    .id_table = ids,
    .probe = probe,
    .remove = remove,
    .sriov_configure = pci_sriov_configure_simple,
    .driver_managed_dma = true,
};

int
bare_init(void)
{
    return pci_register_driver(&driver);
}

void
bare_exit(void)
{
    pci_unregister_driver(&driver);
}
