/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * victim: which vGPU had best be evicted for a demand that has no candidate, and whether that could
 * help at all. Pure.
 *
 * The caller has two sets of rooms: as things are now, and `then`, with all gone that may be
 * evicted (a flag per lease of the ledger, which apply/recovery.h sets).
 */

#pragma once

#include "placement/rooms.h"

/* Whether a GPU could take one of the demand's types then. */
bool victim_would_help(const struct rooms *then, const struct demand *demand,
                       size_t gpu) CHECKED NONNULL;

/*
 * The lease that had best be evicted to make room for a demand that has no candidate: the oldest of
 * those that may be, on the GPU that loses the fewest; one that another demand could reuse only if
 * no other is there. SIZE_MAX: none would help.
 */
size_t victim_pick(const struct rooms *now, const struct rooms *then, const struct demand *demand,
                   const bool *may_evict) CHECKED NONNULL;

/* How many parents could take a demand then. */
size_t victim_count_chances(const struct rooms *then, const struct demand *demand) CHECKED NONNULL;
