/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * transaction: one use case at work, with its state directory, its writer and its deadline.
 *
 * Decide and record under the lock, act outside it:
 *
 *     transaction_begin     locks, and reads the ledger
 *     ...decide, change the ledger...
 *     transaction_commit    writes it and unlocks; transaction_abort unlocks only
 *     ...write to /sys through the transaction's writer...
 *     transaction_move      records how that went
 *
 * Only the process whose claim a lease bears acts on that lease. transaction_move is a
 * compare-and-set, as is everything that begins by transaction_begin_with. It changes nothing if
 * the lease has another process's claim now. A lease gets a new number when it is claimed, and
 * when it is handed back.
 */

#pragma once

#include "apply/writer.h"
#include "lease/statedir.h"

struct transaction {
    const struct host *host;
    struct statedir statedir;
    struct writer writer;
    struct process daemon;    /* libvirt's, which runs us and owes us a release */
    unsigned lock_timeout;    /* ms left for all waits for the lock in this transaction */
    struct deadline deadline; /* of one that makes vGPUs */
};

/* transaction_close does nothing to it. */
#define TRANSACTION_NONE                                                                           \
    ((struct transaction){.statedir = STATEDIR_CLOSED, .writer = WRITER_IDLE(NULL)})

/*
 * Opens the state directory. If make is true, a missing directory is made. If make is false, a
 * missing directory is -ENOENT, and nothing is written to error. The caller closes the transaction
 * in every case. transaction_close gives up the claim, unless a write is still under way. Then the
 * writer keeps the claim for as long as it lives, for that device alone.
 */
int transaction_open(const struct host *host, bool make, struct transaction *ret,
                     struct error *error) CHECKED NONNULL;
void transaction_close(struct transaction *transaction) NONNULL;

/* Opens a transaction that only looks, for a plain reader of the ledger: a dry run. A dry run asks
 * what may be done with leases, by statedir_is_claimed and what builds on it, as an arrival does.
 * So both get the same answers. This transaction has no claim, no lock and no writer. The caller
 * closes it. */
void transaction_open_to_look(const struct host *host, struct transaction *ret) NONNULL;

/* The caller clears ledger in every case. transaction_commit also removes the marks that cover
 * nothing any more (lease/marks.h). */
int transaction_begin(struct transaction *transaction, struct ledger *ledger,
                      struct error *error) CHECKED NONNULL;
int transaction_commit(struct transaction *transaction, const struct ledger *ledger,
                       struct error *error) CHECKED NONNULL;
void transaction_abort(struct transaction *transaction) NONNULL;

/* Claims a lease for removal, under the lock. Its state becomes leaving, or stays removing. Takes
 * the transaction's claim if needed. */
int transaction_claim_removal(struct transaction *transaction, struct ledger *ledger,
                              struct lease *lease, struct error *error) CHECKED NONNULL;

/* Whether the transaction's writer was left behind at work on another device. Then it does nothing
 * more for this one. */
bool transaction_is_stuck_elsewhere(const struct transaction *transaction,
                                    const struct name *device) CHECKED NONNULL;

/* Under the lock: hands a lease back. It keeps its state and has a new number, and nobody is at
 * work on it. */
void transaction_hand_back(const struct transaction *transaction, struct ledger *ledger,
                           struct lease *lease) NONNULL;

/* -ESTALE with its line: the lease of a device that this transaction works on is no longer its
 * own. */
int transaction_lost(const struct name *device, struct error *error) NONNULL;

/* Begins as transaction_begin, if the lease of a device is this transaction's. 1: it is, and *ret
 * points into the ledger. 0: it is not, and nothing has begun. */
int transaction_begin_with(struct transaction *transaction, const struct name *device,
                           struct ledger *ledger, struct lease **ret,
                           struct error *error) CHECKED NONNULL;

/* Gives this transaction's lease of a device another state, or forgets it. Each takes the lock by
 * itself. */
int transaction_move(struct transaction *transaction, const struct name *device,
                     enum lease_state state, struct error *error) CHECKED NONNULL;
int transaction_forget(struct transaction *transaction, const struct name *device,
                       struct error *error) CHECKED NONNULL;
