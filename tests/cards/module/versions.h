/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The differences of kernel 6.1 (Debian 12) and 7.2 (Debian 14) from 6.12. Differences in VFIO are
 * in the other files, under IS_OLD and IS_NEW.
 */
#ifndef SHAPED_VERSIONS_H
#define SHAPED_VERSIONS_H

#include <linux/compiler.h>
#include <linux/version.h>

#define IS_OLD (LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0))
/* VFIO has separate calls for a driver's regions, and for the check of a VF's token. */
#define IS_NEW (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0))

#if IS_OLD
#include <asm/unaligned.h>
#define __counted_by(member)
#else
#include <linux/unaligned.h>
#endif

#endif
