/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory sriov_admin of an xe card, by which its functions' profiles are read and written.
 */
#ifndef SHAPED_XE_FILES_H
#define SHAPED_XE_FILES_H

#include "xe.h"

int xe_show(struct xe *xe);

void xe_hide(struct xe *xe);

/* The links to VFs, as long as these are enabled. */
void xe_link_vfs(struct xe *xe);

void xe_unlink_vfs(struct xe *xe);

#endif
