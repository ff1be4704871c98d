/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * victim: which vGPU is best evicted to make room for demands, and whether that could help at all.
 * Pure.
 *
 * Only some leases may be evicted: apply/recovery.h sets a flag for each lease of the ledger.
 * Nothing is evicted in vain. Once everything is gone that may be evicted, all demands must have a
 * place.
 *
 * An example: two T4 are full, with 16 T4-1B each. Three leases on the first GPU may be evicted,
 * and one lease on the second GPU. A guest wants a T4-1B: the lease on the second GPU is the
 * victim. Another guest wants a T4-2B, and a T4 takes one size at a time. The other vGPUs would
 * stay, so there is no victim.
 */

#pragma once

#include "placement/loads.h"

/*
 * After ERROR_NO_ROOM or ERROR_TAKEN of placement_find: the lease whose device is best removed
 * before another look, among those that may be evicted. It is the oldest, on the GPU that loses the
 * fewest. A device that a demand could reuse goes last. SIZE_MAX: removing none of them would help.
 */
size_t victim_find(const struct placement_problem *problem, const bool *may_evict) CHECKED NONNULL;

/* Whether a GPU could take one of a demand's types, if all were gone that may be evicted. `then`:
 * the loads without it. */
bool victim_would_help(const struct loads *then, const struct demand *demand,
                       const struct inventory_gpu *gpu) CHECKED NONNULL;
