/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * victim: which vGPU had best be evicted to make room for demands, and whether that could help at
 * all. Pure.
 *
 * Only some leases may be evicted: a flag for each lease of the ledger, which apply/recovery.h
 * sets. Nothing is evicted in vain: all demands must have a place once all is gone that may be
 * evicted.
 */

#pragma once

#include "placement/rooms.h"

/*
 * After ERROR_NO_ROOM or ERROR_TAKEN of placement_find: the lease whose device had best be removed
 * for another look, among those that may be evicted. It is the oldest, on the GPU that loses the
 * fewest; one that a demand could reuse goes last. SIZE_MAX: removing none of them would help.
 */
size_t victim_find(const struct placement_problem *problem, const bool *may_evict) CHECKED NONNULL;

/* Whether a GPU could take one of a demand's types, by rooms in which all is gone that may be. */
bool victim_would_help(const struct rooms *then, const struct demand *demand,
                       size_t gpu) CHECKED NONNULL;
