/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * share: the memory that Intel's xe driver gives the functions of a card when they are enabled
 * (xe_gt_sriov_pf_config_set_fair_lmem in drivers/gpu/drm/xe/xe_gt_sriov_pf_config.c).
 *
 * Each function gets the same: the card's memory divided by the number of functions, or a smaller
 * power of 2. The power of 2 is the same on all cards of a model. No file tells which of the two it
 * is, nor how much memory the card has.
 */

#pragma once

#include "device/inventory.h"

/* Returns the MiB of all functions of a card together, if they are seen to be the card's whole
 * memory; else 0. They are if the card has no vGPU, and all functions have the same, which is no
 * power of 2. The limit of the card's memory must be known. */
unsigned share_sum(const struct inventory_gpu *gpu) CHECKED NONNULL;
