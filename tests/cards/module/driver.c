// SPDX-License-Identifier: GPL-2.0-only
/*
 * NVIDIA's PCI driver. It gives each function of its cards to the right part of this module. It is
 * called "nvidia", because the names of mdev types begin with their parent's driver. Intel's PCI
 * driver is in xe.c.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "bare.h"
#include "bus.h"
#include "card.h"
#include "mdev.h"
#include "params.h"
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
    return is_parent(pdev, card) ? parent_probe(pdev, card) : vf_probe(pdev, card, VF_TYPED);
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
    /* A process that looked at the device when it came did not see our files. So this reports a
     * change. The kernel itself reports parents of mdevs. */
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
        vgpu_cards_vf_remove(pdev);
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

/* There is no MODULE_DEVICE_TABLE: the module is loaded by hand only, and no real card causes
 * that. */
static const struct pci_device_id ids[] = {{PCI_DEVICE(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID)}, {}};

static struct pci_driver driver = {
    .name = NVIDIA_DRIVER,
    .id_table = ids,
    .probe = probe,
    .remove = remove,
    .sriov_configure = sriov_configure,
    .driver_managed_dma = true,
};

static int
nvidia_init(void)
{
    return pci_register_driver(&driver);
}

static void
nvidia_exit(void)
{
    pci_unregister_driver(&driver);
}

/* The real driver and ours cannot be there together. */
static int
refuse_beside(const char *name)
{
    if (!driver_find(name, &pci_bus_type))
        return 0;
    pr_err(KBUILD_MODNAME ": this machine has a driver %s for real cards, and the emulated cards "
                          "need this name: unload that driver, or use another machine\n",
           name);
    return -EBUSY;
}

static const struct {
    int (*init)(void);
    void (*exit)(void);
} parts[] = {
    {buses_init, buses_exit}, {mdev_init, mdev_exit}, {nvidia_init, nvidia_exit},
    {xe_init, xe_exit},       {bare_init, bare_exit}, {params_init, params_exit},
};

/* The cards go after the drivers. So a driver's removal disables the VFs, and no lock of the bus is
 * held meanwhile. */
static void
end(unsigned int count)
{
    while (count--) {
        if (!count)
            cards_remove();
        parts[count].exit();
    }
}

static int __init
begin(void)
{
    int ret = refuse_beside(NVIDIA_DRIVER) ?: refuse_beside(XE_DRIVER);
    unsigned int count;

    for (count = 0; !ret && count < ARRAY_SIZE(parts); count++)
        ret = parts[count].init();
    if (ret) {
        end(count ? count - 1 : 0);
        return ret;
    }
    ret = cards_add();
    if (ret)
        end(count);
    return ret;
}

static void __exit
finish(void)
{
    end(ARRAY_SIZE(parts));
}

module_init(begin);
module_exit(finish);
MODULE_LICENSE("GPL v2");
MODULE_AUTHOR("The authors of libvirt-vgpu");
MODULE_DESCRIPTION(
    "Emulated GPUs with vGPUs, without any hardware; for tests only, from no vendor");
