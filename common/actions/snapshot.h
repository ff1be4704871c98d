/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * snapshot: what a decision looks at: the configuration, what a domain asks for by it, the ledger,
 * and what /sys offers and holds.
 *
 * Whoever decides, or says what would be decided, takes one here. So all look at the same things in
 * the same order: the ledger before /sys, so that a vGPU made in between is seen there. A snapshot
 * locks nothing and changes nothing.
 *
 *     rc = snapshot_read(&snapshot, host, request, "prepare", error);
 *     if (rc > 0) ...the domain is to get snapshot.demands...
 *     rc = statedir_peek(host, &snapshot.ledger, error);
 *     rc = snapshot_look(&snapshot, ...); or snapshot_scan, if the caller changes no lease
 *
 * A process that is to change something takes the lock only now (snapshot_lock). It reads the
 * ledger again, and compares it with the look: snapshot.changed.
 *
 * Its demands borrow from its policy and from the request, and its filter borrows from them. So a
 * snapshot must stay where it is.
 */

#pragma once

#include "apply/transaction.h"
#include "lease/look.h"
#include "placement/problem.h"

struct snapshot {
    struct policy policy;
    struct error policy_fault; /* of snapshot_take_to_show: why the policy is not known, or not
                                  which GPUs are drained */
    struct demands demands;
    struct inventory_filter filter; /* which types are read in full: the demanded ones; and whether
                                       all names are, for words that may have to be compared */
    struct ledger ledger;
    struct ledger changed; /* from look_compare: the inventory may lack some of it */
    struct inventory inventory;
};

/*
 * Reads the policy, and what a domain is to get by it. 1: there are demands; 0: there are none,
 * because nothing is asked of us, or vgpu.conf says enabled = false; else -errno with a line in
 * error. A broken configuration stops only a domain whose XML asks us. For another it is logged,
 * under the name of the event. The caller clears the snapshot in every case.
 */
int snapshot_read(struct snapshot *snapshot, const struct host *host, const struct request *request,
                  const char *event, struct error *error) CHECKED NONNULL;

/* The same for a snapshot that has its policy already, and nothing else. */
int snapshot_resolve(struct snapshot *snapshot, const struct host *host,
                     const struct request *request, struct error *error) CHECKED NONNULL;

/* The guest is restored from a saved state. Binds each demand to the type that its vGPU had then,
 * if that is known (lease/saved-type.h). Call it before anything is looked at. */
void snapshot_bind_to_saved(struct snapshot *snapshot, const struct host *host,
                            const struct request *request) NONNULL;

/* Binds each demand to the place and the type that the snapshot's ledger promises to the guest. A
 * demand that was bound stays so; it passes a drain only if the ledger has the promise still. Call
 * it before anything is looked at, and again under the lock. */
void snapshot_bind_to_promises(struct snapshot *snapshot, const struct host *host,
                               const struct request *request) NONNULL;

/* Reads /sys by the snapshot's filter, for its ledger; anew if it was read before. Reads it once
 * more with all names, if names were left out that are needed. -errno with a line in error. */
int snapshot_scan(struct snapshot *snapshot, const struct host *host,
                  struct error *error) CHECKED NONNULL;

/* Without the lock: looks at the leases of snapshot->ledger and at their devices, and scans. `of`:
 * only at the leases of this domain. NULL: at all, and at the guests too if one may have ended. */
int
snapshot_look(struct snapshot *snapshot, const struct statedir *statedir, const struct name *of,
              struct look *look, struct error *error) CHECKED __attribute__((nonnull(1, 2, 4, 5)));

/* Takes the lock, reads the ledger anew, and compares it with the look. Remembers the types that
 * were seen. The transaction has begun if the result is 0. */
int snapshot_lock(struct snapshot *snapshot, struct transaction *transaction,
                  const struct look *look, struct error *error) CHECKED NONNULL;

/* All of it for a caller who asks for no domain: there are no demands. -errno with a line in error.
 * The caller clears the snapshot in every case. */
int snapshot_take(struct snapshot *snapshot, const struct host *host,
                  const struct inventory_filter *filter, struct error *error) CHECKED NONNULL;

/* The same for a caller who only shows. A broken configuration is no failure: the policy then has
 * the defaults, and policy_fault says what is wrong. */
int
snapshot_take_to_show(struct snapshot *snapshot, const struct host *host,
                      const struct inventory_filter *filter, struct error *error) CHECKED NONNULL;

/* Reads the ledger and /sys anew. The policy stays, so that a command follows one configuration. */
int snapshot_take_again(struct snapshot *snapshot, const struct host *host,
                        struct error *error) CHECKED NONNULL;

/* The question for the placement. It borrows from the snapshot and the request. */
struct placement_problem
snapshot_problem(const struct snapshot *snapshot, const struct request *request) NONNULL;

void snapshot_clear(struct snapshot *snapshot) NONNULL;
