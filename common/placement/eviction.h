/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * eviction: a placement's problem, as it will be when some devices are gone. Pure.
 *
 * What a driver will offer then nobody knows before, where it tells no maximum. So who asks says
 * which guess will do: the least is sure to be there, and what has no answer with the most has
 * none.
 */

#pragma once

#include "placement/problem.h"

struct eviction {
    struct placement_problem problem; /* borrows from the one it was made of, but for these */
    struct inventory inventory;
    struct ledger ledger;
};

/* Of a GPU whose driver tells no maximum of a type. */
enum eviction_guess {
    EVICTION_LEAST,  /* what it offers now */
    EVICTION_LIKELY, /* one more for each device that goes */
    EVICTION_MOST,   /* any number: EVICTION_PLENTY */
};
#define EVICTION_PLENTY 10000

/* `gone`: a flag per lease says whose device is gone. Choices for the one problem are choices for
 * the other. To be cleared, and to stay where it is. */
void eviction_make(struct eviction *eviction, const struct placement_problem *problem,
                   const bool *gone, enum eviction_guess guess) NONNULL;

/* The same if all leases are gone, and also what others have made, if foreign_too; but not what the
 * domain itself runs with. */
void eviction_make_all(struct eviction *eviction, const struct placement_problem *problem,
                       bool foreign_too, enum eviction_guess guess) NONNULL;
void eviction_clear(struct eviction *eviction) NONNULL;

/* Whether what goes has a GPU instance of the shape that a type needs. */
bool eviction_frees_instance(const struct placement_problem *problem, size_t gpu, size_t type,
                             const bool *gone) CHECKED NONNULL;
