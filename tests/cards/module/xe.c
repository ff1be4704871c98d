// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "faults.h"
#include "xe-files.h"
#include "xe.h"

/* The unit in which VRAM is given out. */
#define VRAM_UNIT SZ_2M

/* The VRAM that the VFs of an Arc Pro B50 share. */
static unsigned int xe_vram_mib = 14096;
module_param_named(xe_vram, xe_vram_mib, uint, 0444);
MODULE_PARM_DESC(xe_vram, "MiB that the VFs of an xe card share");

static unsigned int xe_shares = 3;
module_param(xe_shares, uint, 0644);
MODULE_PARM_DESC(xe_shares, "the driver's rule for these shares: its first, second or third");

static bool xe_admin_only;
module_param(xe_admin_only, bool, 0644);
MODULE_PARM_DESC(xe_admin_only, "xe cards only serve their VFs, and take no share");

static bool xe_auto = true;
module_param(xe_auto, bool, 0644);
MODULE_PARM_DESC(xe_auto,
                 "VFs get equal shares of the VRAM when they are enabled, unless one has some");

/* VRAM */

u64
xe_vram(const struct xe_function *function)
{
    return READ_ONCE(function->vram);
}

static u64
vram_left(const struct xe *xe)
{
    u64 left = (u64)xe_vram_mib * SZ_1M;
    unsigned int i;

    for (i = 1; i < xe->count; i++)
        left -= xe->functions[i].vram;
    return left;
}

struct pci_dev *
xe_vf_device(const struct xe *xe, unsigned int number)
{
    struct pci_dev *pdev = NULL;

    while ((pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev))) {
        if (pdev->is_virtfn && pci_physfn(pdev) == xe->card->pdev &&
            pci_iov_vf_id(pdev) == number - 1)
            return pdev;
    }
    return NULL;
}

/* Has a guest, or the host's own driver, switched the function on? Any driver can see this. */
static bool
is_running(const struct xe *xe, unsigned int number)
{
    struct pci_dev *pdev = xe_vf_device(xe, number);
    bool running = pdev && pci_is_enabled(pdev);

    pci_dev_put(pdev);
    return running;
}

int
xe_set_vram(struct xe *xe, unsigned int number, u64 bytes)
{
    struct xe_function *function = &xe->functions[number];

    if (is_running(xe, number))
        return -EIO;
    function->vram = 0;
    if (bytes > vram_left(xe))
        return fault_full();
    bytes = round_up(bytes, VRAM_UNIT);
    if (bytes > vram_left(xe))
        return fault_full();
    function->vram = bytes;
    return 0;
}

static bool
has_preset(const struct xe *xe, unsigned int vfs)
{
    unsigned int i;

    for (i = 1; i <= vfs; i++) {
        if (xe->functions[i].vram)
            return true;
    }
    return false;
}

static u64
power_below(u64 bytes)
{
    return bytes ? rounddown_pow_of_two(bytes) : 0;
}

/* By the third rule the whole GiB of the VRAM are divided among the PF and the VFs, and each part
 * is rounded down to a power of 2. A PF that only serves its VFs has no part, and then nothing is
 * rounded. */
static u64
third_share(unsigned int vfs)
{
    u64 whole = round_down((u64)xe_vram_mib * SZ_1M, SZ_1G);

    if (READ_ONCE(xe_admin_only))
        return round_down(div_u64(whole, vfs), VRAM_UNIT);
    return power_below(div_u64(whole, 1 + vfs));
}

/* All VFs get the same share. The first rule is the largest power of 2 that fits, and the second an
 * equal part. No share is more than an equal part. */
static int
share_out(struct xe *xe, unsigned int vfs)
{
    u64 equal = round_down(div_u64(vram_left(xe), vfs), VRAM_UNIT), share = equal;
    unsigned int i;

    if (!equal)
        return -ENOSPC;
    if (READ_ONCE(xe_shares) == 1)
        share = power_below(equal);
    else if (READ_ONCE(xe_shares) == 3)
        share = min(equal, third_share(vfs));
    for (i = 1; i <= vfs; i++)
        xe->functions[i].vram = share;
    return 0;
}

static int
provision(struct xe *xe, unsigned int vfs)
{
    int ret = 0;

    mutex_lock(&xe->card->lock);
    if (READ_ONCE(xe_auto) && xe_vram_mib && !xe_is_fixed() && !has_preset(xe, vfs))
        ret = share_out(xe, vfs);
    mutex_unlock(&xe->card->lock);
    return ret;
}

/* Takes back what the VFs have. Only their priorities stay. */
static void
release(struct xe *xe)
{
    unsigned int i;

    mutex_lock(&xe->card->lock);
    for (i = 1; i < xe->count; i++) {
        xe->functions[i].vram = 0;
        xe->functions[i].exec_quantum_ms = 0;
        xe->functions[i].preempt_timeout_us = 0;
    }
    mutex_unlock(&xe->card->lock);
}

/* The card's driver. It also takes VFs, if the host allows that. Such VFs run for the host. */

static void
disable_vfs(struct xe *xe)
{
    xe_unlink_vfs(xe);
    pci_disable_sriov(xe->card->pdev);
    release(xe);
}

static int
enable_vfs(struct xe *xe, int vfs)
{
    int ret = provision(xe, vfs);

    if (ret)
        return ret;
    ret = pci_enable_sriov(xe->card->pdev, vfs);
    if (ret) {
        release(xe);
        return ret;
    }
    xe_link_vfs(xe);
    return vfs;
}

static int
sriov_configure(struct pci_dev *pdev, int count)
{
    struct xe *xe = card_of(pdev)->xe;

    if (count)
        return enable_vfs(xe, count);
    disable_vfs(xe);
    return 0;
}

static int
probe_pf(struct pci_dev *pdev, struct card *card)
{
    unsigned int count = 1 + pci_sriov_get_totalvfs(pdev);
    struct xe *xe = kzalloc(struct_size(xe, functions, count), GFP_KERNEL);
    int ret;

    if (!xe)
        return -ENOMEM;
    xe->card = card;
    xe->count = count;
    card->xe = xe;
    ret = xe_show(xe);
    if (ret) {
        card->xe = NULL;
        kfree(xe);
    }
    return ret;
}

static int
probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
    struct card *card = card_of(pdev);
    int ret;

    if (!card || card->shape != SHAPE_XE)
        return -ENODEV;
    ret = pci_enable_device(pdev);
    if (ret || pdev->is_virtfn)
        return ret;
    ret = probe_pf(pdev, card);
    if (ret)
        pci_disable_device(pdev);
    else
        kobject_uevent(&pdev->dev.kobj, KOBJ_CHANGE);
    return ret;
}

static void
remove(struct pci_dev *pdev)
{
    struct card *card = card_of(pdev);

    if (!pdev->is_virtfn) {
        disable_vfs(card->xe);
        xe_hide(card->xe);
        kfree(card->xe);
        card->xe = NULL;
    }
    pci_disable_device(pdev);
}

static const struct pci_device_id ids[] = {{PCI_DEVICE(PCI_VENDOR_ID_INTEL, PCI_ANY_ID)}, {}};

static struct pci_driver driver = {
    .name = XE_DRIVER,
    .id_table = ids,
    .probe = probe,
    .remove = remove,
    .sriov_configure = sriov_configure,
    .driver_managed_dma = true,
};

int
xe_init(void)
{
    return pci_register_driver(&driver);
}

void
xe_exit(void)
{
    pci_unregister_driver(&driver);
}
