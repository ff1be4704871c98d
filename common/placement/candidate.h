/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * candidate: a GPU and a type that could serve a demand now, the best first.
 *
 * Better is: a type that the demand prefers; nearer to the guest's NUMA nodes; then, to pack, the
 * fullest GPU, so that empty ones stay empty and can take any type; to spread, one that has none of
 * this domain's vGPUs yet, then the emptiest; then the GPU's place in the inventory, so that the
 * same question has the same answer. Pure.
 */

#pragma once

#include "placement/capacity.h"

struct candidate {
    size_t gpu;
    size_t type;
    size_t parent;
    /* The first five are what it is sorted by, the lower the better, in this order. */
    unsigned rank;
    bool far;
    size_t beside; /* own vGPUs on that GPU, when spreading */
    size_t used, total;
    bool spread;
};

/* All candidates for a demand, best first, in an array that the caller frees. -ENOMEM. */
int candidate_list(const struct capacity *capacity, const struct demand *demand,
                   struct candidate **ret, size_t *count) CHECKED NONNULL;

/* Why the first is better, in words about the GPU of the second: "is emptier, and it is packed". */
const char *
candidate_why(const struct candidate *better, const struct candidate *worse) CHECKED NONNULL;

/* Whether a GPU could take one of the demand's types if only what may be evicted were gone. */
bool candidate_could_take(const struct capacity *capacity, const struct demand *demand, size_t gpu,
                          const bool *may_evict) CHECKED NONNULL;

/*
 * The lease that had best be evicted to make room for a demand that has no candidate: the oldest of
 * those that may be (a flag per lease of the ledger), on the GPU that loses the fewest; one that
 * another demand could reuse only if no other is there. SIZE_MAX: none would help.
 */
size_t candidate_pick_victim(const struct capacity *capacity, const struct demand *demand,
                             const bool *may_evict) CHECKED NONNULL;

/* How many parents could take a demand if what may be evicted were gone. */
size_t candidate_count_chances(const struct capacity *capacity, const struct demand *demand,
                               const bool *may_evict) CHECKED NONNULL;
