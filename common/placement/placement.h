/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * placement: which parent and type each demanded vGPU gets, or for every GPU why not.
 *
 * Pure: it looks at values and calls nothing of the system, so the same question has the same
 * answer, in the hook and in a test. All demands are met or none; if any assignment exists, one is
 * found. Rooms are counted per GPU, not per virtual function, and claims that are not yet visible
 * in the inventory are subtracted.
 */

#pragma once

#include "placement/problem.h"

/*
 * Writes one choice per demand, in their order, into choices (demands->count of them), and returns
 * 0. REFUSED with a line in error that names the device, what it wants and what stands against it;
 * its class is
 * ERROR_NO_ROOM: a reason for every GPU, at least one of which would have it if there were room;
 * ERROR_NEVER: no GPU would have it however empty it is, going by each device alone;
 * ERROR_TAKEN: the device that its hostdev names belongs to somebody else, or is something else;
 * ERROR_UNDECIDED: too many devices to try all ways.
 * Choices of demands whose vGPU is there already are written even then, up to the one that is in
 * the way.
 */
int placement_find(const struct placement_problem *problem, struct placement_choice *choices,
                   struct error *error) CHECKED NONNULL;
