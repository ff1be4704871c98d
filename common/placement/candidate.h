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

/* All candidates for a demand, best first, in an array that the caller frees. */
void candidate_list(const struct capacity *capacity, const struct demand *demand,
                    struct candidate **ret, size_t *count) NONNULL;

/* Why the first is better, in words about the GPU of the second: "is emptier, and it is packed". */
const char *
candidate_why(const struct candidate *better, const struct candidate *worse) CHECKED NONNULL;
