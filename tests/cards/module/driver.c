// SPDX-License-Identifier: GPL-2.0-only
/*
 * NVIDIA's PCI driver. It gives each function of its cards to the right part of this module. It is
 * called "nvidia", because the names of mdev types begin with their parent's driver. Intel's PCI
 * driver is in xe.c.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "card.h"
#include "mdev.h"
#include "vf.h"
#include "xe.h"

/* Are mdevs made on this function? */
static bool
is_parent(const struct pci_dev *pdev, const struct card *card)
{
    return card->shape == (pdev->is_virtfn ? SHAPE_SRIOV : SHAPE_MDEV);
}

static int
probe_vf(struct pci_dev *pdev, struct card *card)
{
    return is_parent(pdev, card) ? parent_probe(pdev, card) : vf_probe(pdev, card);
}

static int
probe_pf(struct pci_dev *pdev, struct card *card)
{
    int ret = pci_enable_device(pdev);

    if (ret)
        return ret;
    ret = sysfs_create_group(&pdev->dev.kobj, &card_group);
    if (ret)
        goto disable;
    if (is_parent(pdev, card))
        ret = parent_probe(pdev, card);
    if (ret)
        goto group;
    return 0;
group:
    sysfs_remove_group(&pdev->dev.kobj, &card_group);
disable:
    pci_disable_device(pdev);
    return ret;
}

static int
probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
    struct card *card = card_of(pdev);
    int ret;

    if (!card)
        return -ENODEV;
    ret = pdev->is_virtfn ? probe_vf(pdev, card) : probe_pf(pdev, card);
    /* A process that looked at the device when it came saw QEMU's ids. So this reports a change.
     * The kernel itself reports parents of mdevs. */
    if (!ret && !is_parent(pdev, card))
        kobject_uevent(&pdev->dev.kobj, KOBJ_CHANGE);
    return ret;
}

static void
remove(struct pci_dev *pdev)
{
    struct card *card = card_of(pdev);

    if (!pdev->is_virtfn)
        pci_disable_sriov(pdev);
    if (is_parent(pdev, card))
        parent_remove(pdev);
    else if (pdev->is_virtfn)
        vf_remove(pdev);
    if (!pdev->is_virtfn) {
        sysfs_remove_group(&pdev->dev.kobj, &card_group);
        pci_disable_device(pdev);
    }
}

static int
sriov_configure(struct pci_dev *pdev, int count)
{
    bitmap_zero(card_of(pdev)->bound, MAX_VFS);
    return pci_sriov_configure_simple(pdev, count);
}

/* There is no MODULE_DEVICE_TABLE, because the module is loaded by hand only. */
static const struct pci_device_id ids[] = {{PCI_DEVICE(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID)}, {}};

static struct pci_driver driver = {
    .name = "nvidia",
    .id_table = ids,
    .probe = probe,
    .remove = remove,
    .sriov_configure = sriov_configure,
    .driver_managed_dma = true,
};

static int __init
shaped_init(void)
{
    int ret = cards_init();

    if (ret)
        return ret;
    ret = mdev_init();
    if (ret)
        goto cards;
    ret = pci_register_driver(&driver);
    if (ret)
        goto mdev;
    ret = xe_init();
    if (ret)
        goto driver;
    return 0;
driver:
    pci_unregister_driver(&driver);
mdev:
    mdev_exit();
cards:
    cards_exit();
    return ret;
}

static void __exit
shaped_exit(void)
{
    xe_exit();
    pci_unregister_driver(&driver);
    mdev_exit();
    cards_exit();
}

module_init(shaped_init);
module_exit(shaped_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Cards shaped like NVIDIA's and Intel's with vGPUs; for tests only");
