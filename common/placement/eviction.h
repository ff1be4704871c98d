/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * eviction: the question of a placement, as it will be when some leases' devices are gone.
 *
 * What a driver will offer then nobody knows before. One bound is sure: what has no answer when
 * each GPU offers the most that it could, has none. The other is the best guess. Pure.
 */

#pragma once

#include "placement/problem.h"

struct eviction {
    struct placement_problem problem; /* borrows from the one it was made of, but for these */
    struct inventory inventory;
    struct ledger ledger;
};

enum eviction_guess {
    EVICTION_MOST,
    EVICTION_LIKELY, /* differs where the driver tells no maximum: one more for each that goes */
};

/* A flag per lease says whose device is gone. Choices for the one question are choices for the
 * other. -ENOMEM. To be cleared in every case, and to stay where it is. */
int eviction_make(struct eviction *eviction, const struct placement_problem *problem,
                  const bool *gone, enum eviction_guess guess) CHECKED NONNULL;
void eviction_clear(struct eviction *eviction) NONNULL;

/* Whether what goes has a GPU instance of the shape that a type needs. */
bool eviction_frees_instance(const struct placement_problem *problem, size_t gpu, size_t type,
                             const bool *gone) CHECKED NONNULL;
