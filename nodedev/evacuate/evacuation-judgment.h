/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * evacuation-judgment: how each guest of a plan leaves its GPUs. The first of these that does:
 *
 * - here: a place on another GPU, by the decision of a start. Each guest leaves out the places of
 *   the guests before it. If a guest finds none, and at most six look for one, all orders are
 *   tried. The order in which the most guests find a place is then the plan's.
 * - live: another host that is sure to take it, of those that --connect and --hosts name. Places
 *   there are not held, so two guests may be told of the same one.
 * - stop: with --stop, a guest that cannot be saved is shut down, and started on another GPU.
 *
 * vgpu.conf (evacuate) and --except say what may not be.
 */

#pragma once

#include "evacuate/evacuation-plan.h"
#include "migrate/migrate-question.h"

/* Decides for each item of a plan, and puts the items into the order in which they move. What only
 * root may read may be missing; then a guest that is told to move may stay. */
void evacuation_judgment_make(struct evacuation_plan *plan) NONNULL;

/* Makes the best of the hosts that were asked the host of a guest's move. Only a host that is sure
 * to take the guest will do. Returns REFUSED or -errno with a line in error; the move then stays as
 * it was. */
int evacuation_judgment_find_host(struct migrate_question *question, struct evacuation_move *move,
                                  struct error *error) CHECKED NONNULL;
