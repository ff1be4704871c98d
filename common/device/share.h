/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * share: the memory that Intel's xe driver gives the functions of a card when they are enabled
 * (xe_gt_sriov_pf_config_set_fair_lmem in drivers/gpu/drm/xe/xe_gt_sriov_pf_config.c).
 *
 * Each function gets the same: what there is, divided, or a power of 2 that is less, so that it is
 * the same on each card of a model. No file says which, nor how much there is.
 */

#pragma once

#include "device/inventory.h"

/* The MiB that the functions of a card have together, if that is seen to be what there is, divided:
 * the card has no vGPU, and each function has the same, which is no power of 2. Else 0. The limit
 * of the card's memory is to be known. */
unsigned share_sum(const struct inventory *inventory, size_t gpu) CHECKED NONNULL;
