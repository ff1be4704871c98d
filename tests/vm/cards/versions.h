/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernel 6.1, Debian 12's, has otherwise than 6.12. Where its VFIO lacks something, that
 * stands in the other files, under IS_OLD.
 */
#ifndef SHAPED_OLDER_H
#define SHAPED_OLDER_H

#include <linux/compiler.h>
#include <linux/version.h>

#define IS_OLD (LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0))

#if IS_OLD
#include <asm/unaligned.h>
#define __counted_by(member)
#else
#include <linux/unaligned.h>
#endif

#endif
