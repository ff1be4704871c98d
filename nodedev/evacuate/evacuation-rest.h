/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * evacuation-rest: what there is of GPUs that are to be empty, besides running guests: vGPUs that
 * no guest has, and definitions of guests that are off.
 */

#pragma once

#include "evacuate/evacuation-plan.h"

/* Removes kept vGPUs and leftovers from the GPUs of a plan, and writes the results into its items.
 * A kept vGPU goes because the next start of its guest finds a place elsewhere. */
void evacuation_rest_remove(struct evacuation_plan *plan) NONNULL;

/* Warns of guests that are off, and whose definitions name a virtual function of these GPUs. They
 * do not start while the GPUs are drained. */
void evacuation_rest_tell(const struct evacuation_plan *plan) NONNULL;
