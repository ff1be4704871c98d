/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * victim: which kept vGPU had best be evicted for a demand that has no candidate, and whether that
 * could help at all. Pure.
 *
 * What may be evicted is a flag per lease of the ledger, which apply/recovery.h sets.
 */

#pragma once

#include "placement/capacity.h"

/* Whether a GPU could take one of the demand's types if only what may be evicted were gone. */
bool victim_would_help(const struct capacity *capacity, const struct demand *demand, size_t gpu,
                       const bool *may_evict) CHECKED NONNULL;

/*
 * The lease that had best be evicted to make room for a demand that has no candidate: the oldest of
 * those that may be (a flag per lease of the ledger), on the GPU that loses the fewest; one that
 * another demand could reuse only if no other is there. SIZE_MAX: none would help.
 */
size_t victim_pick(const struct capacity *capacity, const struct demand *demand,
                   const bool *may_evict) CHECKED NONNULL;

/* How many parents could take a demand if what may be evicted were gone. */
size_t victim_count_chances(const struct capacity *capacity, const struct demand *demand,
                            const bool *may_evict) CHECKED NONNULL;
