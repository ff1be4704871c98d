/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * share: what is known of the memory that the functions of one of Intel's cards may have together.
 *
 * No file tells how much memory there is. But xe gives each function an equal share when functions
 * are enabled (xe_gt_sriov_pf_config_set_fair_lmem in drivers/gpu/drm/xe/xe_gt_sriov_pf_config.c).
 * There were three rules:
 *
 * - first, the largest power of 2 that fits;
 * - since Linux fef8b64e48e8, an equal part of the memory, rounded down to 2 MiB;
 * - since Linux 81d417d56a23, a part of the whole GiB of the memory. The card itself has a part
 *   like a function, and the part is rounded down to a power of 2. If the card only serves its
 *   functions (admin_only_pf of configfs), neither holds, and the part is rounded down to 2 MiB.
 *
 * No share is more than an equal part of what is free just then. So a share that is no power of 2
 * tells the memory to 1 GiB or less, and any other share tells nothing.
 *
 * Do not take the memory from the card's BAR: it can be larger than the memory.
 */

#pragma once

#include "device/inventory.h"

/* How many MiB a card had for its functions when they were enabled: at least, and at most. Both 0:
 * not told. */
struct share_sum {
    unsigned least, most;
};

/* What the shares of all functions tell, in MiB. */
struct share_sum share_sum(const uint64_t *shares, size_t count) CHECKED NONNULL;

/* The same of a card. If it has a vGPU, or its limit of memory is not known, nothing is told. */
struct share_sum share_seen(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* What Intel's own tool gives all functions of a card together, in MiB. The card may have more. */
struct share_known {
    const char *device;  /* PCI id */
    unsigned plain, ecc; /* without and with ECC, which no file tells */
};

/* Returns NULL for any other card. */
const struct share_known *share_known(const struct inventory_gpu *gpu) CHECKED NONNULL;
