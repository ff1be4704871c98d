/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernel 6.1 (Debian 12) and 7.2 (Debian 14) have differently from 6.12. Differences in VFIO
 * are in the other files, under IS_OLD and IS_NEW.
 */
#ifndef SHAPED_VERSIONS_H
#define SHAPED_VERSIONS_H

#include <linux/compiler.h>
#include <linux/version.h>

#define IS_OLD (LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0))
/* VFIO asks a driver for its regions, and whether a VF's token is right, by calls of their own. */
#define IS_NEW (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0))

#if IS_OLD
#include <asm/unaligned.h>
#define __counted_by(member)
#else
#include <linux/unaligned.h>
#endif

#endif
