/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * clearance: the question of a placement, as it will be when some leases' devices are gone.
 *
 * What a driver will offer then nobody knows before. One bound is sure: what has no answer when
 * each GPU offers the most that it could, has none. The other is the best guess. Pure.
 */

#pragma once

#include "placement/problem.h"

struct clearance {
    struct placement_question question; /* borrows from the one it was made of, but for these */
    struct inventory inventory;
    struct ledger ledger;
};

enum clearance_guess {
    CLEARANCE_MOST,
    CLEARANCE_LIKELY, /* differs where the driver tells no maximum: one more for each that goes */
};

/* A flag per lease says whose device is gone. Choices for the one question are choices for the
 * other. -ENOMEM. To be cleared in every case, and to stay where it is. */
int clearance_make(struct clearance *clearance, const struct placement_question *question,
                   const bool *gone, enum clearance_guess guess) CHECKED NONNULL;
void clearance_clear(struct clearance *clearance) NONNULL;

/* Whether what goes has a GPU instance of the shape that a type needs. */
bool clearance_frees_instance(const struct placement_question *question, size_t gpu, size_t type,
                              const bool *gone) CHECKED NONNULL;
