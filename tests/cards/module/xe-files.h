/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory sriov_admin of an xe card. Its files show and change the functions' profiles.
 */
#ifndef VGPU_CARDS_XE_FILES_H
#define VGPU_CARDS_XE_FILES_H

#include "xe.h"

/* Whether nobody can set the VRAM of a VF. */
bool xe_is_fixed(void);

int xe_show(struct xe *xe);

void xe_hide(struct xe *xe);

/* The links to the VFs, which exist as long as the VFs are enabled. */
void xe_link_vfs(struct xe *xe);

void xe_unlink_vfs(struct xe *xe);

#endif
