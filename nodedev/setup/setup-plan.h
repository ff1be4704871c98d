/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-plan: the steps that make a card as vgpu.conf declares it. A plan changes nothing.
 *
 * First comes what must be away, in the opposite order of the table of parts, then what is to be
 * made, in its order. A part that is not said is left as it is: a plan that would take it away is
 * refused. What follows from other parts is planned once these are as declared: so plan again after
 * the steps.
 */

#pragma once

#include "setup/setup-part.h"

struct setup_step {
    enum setup_part part;
    bool removes; /* else it makes */
};

struct setup_plan {
    struct setup_step steps[2 * SETUP_PARTS];
    size_t count;
};

/* Returns -errno with a line in error if the card cannot be made so. */
int setup_plan_make(const struct setup_card *card, struct setup_plan *ret,
                    struct error *error) CHECKED NONNULL;
