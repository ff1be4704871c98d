/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * card-end: until when the link of a whole card counts (whole-card.h).
 *
 * It counts until the guest's `release`. If that does not come, it counts
 *
 *     until its daemon is dead, and no status file of libvirt's names the card; or
 *     until the guest has run, and its status file does not name the card any more.
 *
 * The daemon and the mark must have been read before the status files, because a guest that was
 * only starting then has no file yet. If a file could not be read, the link counts.
 *
 * An example: web01 runs with 0000:18:00.0, and somebody takes the card out of it. libvirt runs no
 * hook for that. The next start that needs the card reads web01's status file, and the link counts
 * no more.
 */

#pragma once

#include "lease/look.h"

/* Drops the links that count no more from a ledger that was read after the look. If the state
 * directory is locked, the links are removed there, too. */
void card_end_sweep(const struct statedir *statedir, const struct look *look,
                    struct ledger *ledger) NONNULL;
