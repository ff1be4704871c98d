/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * snapshot: what a decision looks at, side by side: the configuration, what a domain asks for by
 * it, the ledger, and what /sys offers and holds.
 *
 * Everybody who decides, or says what would be decided, takes one here, so that all look at the
 * same things in the same order: the ledger before /sys, so that what is made in between is seen
 * there. Nothing is locked and nothing is changed by it.
 *
 *     rc = snapshot_read(&snapshot, host, request, "prepare", error);
 *     if (rc > 0) ...the domain is to get snapshot.demands...
 *     rc = statedir_peek(host, &snapshot.ledger, error);
 *     rc = look_take(&look, ...), if anything is to become of leases
 *     rc = snapshot_look(&snapshot, host, error);
 *
 * Who is to change something takes the lock only now, reads the ledger again, and compares it with
 * the look: snapshot.changed.
 *
 * Its demands borrow from its policy and from the request, and its filter borrows from them, so a
 * snapshot must stay where it is.
 */

#pragma once

#include "lease/ledger.h"
#include "placement/problem.h"

struct snapshot {
    struct policy policy;
    struct demands demands;
    struct inventory_filter filter; /* which types are read in full: those that are demanded; and
                                       whether all names are, which words may have to be compared
                                       with */
    struct ledger ledger;
    struct ledger changed; /* what look_compare tells: not all of it is in the inventory */
    struct inventory inventory;
};

/*
 * Reads the policy and what a domain is to get by it. 1: there are demands; 0: none, as nothing is
 * asked of us, or we are switched off; else -errno with a line in error. A broken configuration
 * stops only a domain whose XML asks us; for another it is logged, under the name of the event. To
 * be cleared in every case.
 */
int snapshot_read(struct snapshot *snapshot, const struct host *host, const struct request *request,
                  const char *event, struct error *error) CHECKED NONNULL;

/* The same for one that has been given its policy already, and nothing else. */
int snapshot_resolve(struct snapshot *snapshot, const struct host *host,
                     const struct request *request, struct error *error) CHECKED NONNULL;

/* Reads /sys by the snapshot's filter, anew if it was read before, for the ledger that the snapshot
 * has; and once more with all names if some are to be told that were left out. -errno with a line
 * in error. */
int snapshot_look(struct snapshot *snapshot, const struct host *host,
                  struct error *error) CHECKED NONNULL;

/* All of it for those who ask for no domain: there are no demands then. -errno with a line in
 * error. To be cleared in every case. */
int snapshot_take(struct snapshot *snapshot, const struct host *host,
                  const struct inventory_filter *filter, struct error *error) CHECKED NONNULL;

/* What a placement is to be asked. It borrows from the snapshot and the request. */
struct placement_problem
snapshot_problem(const struct snapshot *snapshot, const struct request *request) NONNULL;

void snapshot_clear(struct snapshot *snapshot) NONNULL;
