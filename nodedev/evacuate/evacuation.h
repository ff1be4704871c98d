/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * evacuation: carries a plan out, one guest after the other.
 *
 * Each guest is judged anew before it moves. A guest whose move fails goes back to its old place,
 * if that is still free, and the others go on. Before a guest moves, its record is on disk
 * (evacuation-move.h).
 *
 * A signal that would end this process stops a save or a migration, and otherwise waits until the
 * guest runs. No other move begins. The caller has blocked these signals (cli/end-signals.h).
 *
 * One evacuation runs on a host at a time. The process that runs it has a lock on the file
 * /run/libvirt-vgpu/evacuation.
 */

#pragma once

#include "evacuate/evacuation-plan.h"

/* Takes the lock. -EBUSY with a line in error: another evacuation has it. *ret is the descriptor
 * that the caller closes. */
int evacuation_lock(const struct host *host, int *ret, struct error *error) CHECKED NONNULL;

/* Moves the guests of a plan. Each item gets its result, and why it is where it is. `patience`:
 * seconds that a guest may take to shut down. `tell` hears of the plan when a move begins, and when
 * it has ended. The result of a guest in hand is "moving". */
void evacuation_run(struct evacuation_plan *plan, unsigned patience,
                    void (*tell)(const struct evacuation_plan *plan)) NONNULL;
