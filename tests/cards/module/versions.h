/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The differences of kernel 6.1 (Debian 12) and 7.2 (Debian 14) from 6.12. Differences in VFIO are
 * in the other files, under IS_OLD and IS_NEW. What distributions add to older kernels is found in
 * the kernel's headers by Kbuild, as HAS_...
 */
#ifndef VGPU_CARDS_VERSIONS_H
#define VGPU_CARDS_VERSIONS_H

#include <linux/compiler.h>
#include <linux/pci.h>
#include <linux/version.h>

#define IS_OLD (LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0))
/* VFIO has separate calls for a driver's regions, and for the check of a VF's token. */
#define IS_NEW (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0))

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

#ifndef __counted_by
#define __counted_by(member)
#endif

/* Lets only the driver of this name have a device. */
static inline int
set_driver_override(struct pci_dev *pdev, const char *driver)
{
#ifdef HAS_DEVICE_OVERRIDE
    return device_set_driver_override(&pdev->dev, driver);
#else
    return driver_set_override(&pdev->dev, &pdev->driver_override, driver, strlen(driver));
#endif
}

#endif
