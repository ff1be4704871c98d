/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * placement: which parent and type each demanded vGPU gets; or, for every GPU, why not.
 *
 * Pure: it looks at values and calls nothing of the system. So the same question has the same
 * answer, in the hook and in a test. All demands are met or none. If any assignment exists, one is
 * found. Room is counted per GPU, not per virtual function. Claims that the inventory does not show
 * yet are subtracted.
 */

#pragma once

#include "placement/problem.h"

/*
 * Writes one choice per demand into choices, in their order (demands->count of them), and returns
 * 0. Else returns REFUSED. The line in error names the device, what it wants and what is against
 * it. The class of the error is:
 *
 * - ERROR_NO_ROOM: a reason for every GPU; at least one GPU would take it if there were room, or
 *   no drain;
 * - ERROR_NEVER: no GPU would take it however empty it is, going by each device alone;
 * - ERROR_TAKEN: the device that its hostdev names belongs to somebody else, or is something else;
 * - ERROR_UNDECIDED: too many devices to try all ways.
 *
 * A refusal still writes the choices of demands whose vGPU is there already. The first demand that
 * has something in its way ends these choices.
 */
int placement_find(const struct placement_problem *problem, struct placement_choice *choices,
                   struct error *error) CHECKED NONNULL;
