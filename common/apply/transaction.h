/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * transaction: one use case at work: its state directory, its writer, its deadline.
 *
 * Look, decide and record under the lock, act outside it:
 *
 *     transaction_begin     locks, and reads the ledger
 *     ...decide, change the ledger...
 *     transaction_commit    writes it and unlocks; transaction_abort unlocks only
 *     ...write to /sys through the transaction's writer...
 *     transaction_move      records how that went
 *
 * A lease is only ever acted on by the process whose claim it bears. transaction_move, and all that
 * begins by transaction_begin_with, is a compare-and-set: it changes nothing if the lease has
 * another's claim by now. A lease that is handed back has a new number, as one that is claimed.
 */

#pragma once

#include "apply/writer.h"
#include "lease/statedir.h"

struct transaction {
    const struct host *host;
    struct statedir statedir;
    struct writer writer;
    struct process daemon;    /* who runs us, and owes us a release */
    unsigned lock_timeout;    /* ms that are left of it, for all of this transaction's waits */
    struct deadline deadline; /* for all of it */
};

/* What transaction_close does nothing to. */
#define TRANSACTION_NONE                                                                           \
    ((struct transaction){.statedir = STATEDIR_CLOSED, .writer = WRITER_IDLE(NULL)})

/*
 * Opens the state directory, making it if make is true; -ENOENT, without a word in error, if it is
 * missing and make is false. transaction_close in every case. It gives up the claim, unless a write
 * is still under way: then the writer keeps it for as long as it lives, for that device alone.
 */
int transaction_open(const struct host *host, bool make, struct transaction *ret,
                     struct error *error) CHECKED NONNULL;
void transaction_close(struct transaction *transaction) NONNULL;

/* A transaction that only looks, to ask what may be done with leases. transaction_close. */
void transaction_open_to_look(const struct host *host, struct transaction *ret) NONNULL;

/* The caller clears ledger in every case. transaction_commit also removes the marks that the ledger
 * needs no more (lease/marks.h). */
int transaction_begin(struct transaction *transaction, struct ledger *ledger,
                      struct error *error) CHECKED NONNULL;
int transaction_commit(struct transaction *transaction, const struct ledger *ledger,
                       struct error *error) CHECKED NONNULL;
void transaction_abort(struct transaction *transaction) NONNULL;

/* Whether a lease is nobody's or this transaction's to act on. */
bool transaction_may_act(const struct transaction *transaction,
                         const struct lease *lease) CHECKED NONNULL;

/* Marks a lease as this transaction's to remove, under the lock: leaving, or removing if it was
 * that already. Takes the transaction's claim if needed. */
int transaction_claim_removal(struct transaction *transaction, struct ledger *ledger,
                              struct lease *lease, struct error *error) CHECKED NONNULL;

/* Whether the transaction's writer was left behind at work on another device: it acts no more on
 * this one. */
bool transaction_is_stuck_elsewhere(const struct transaction *transaction,
                                    const struct name *device) CHECKED NONNULL;

/* Under the lock: the lease is nobody's to act on, under a new number, in the state that it has. */
void transaction_hand_back(const struct transaction *transaction, struct ledger *ledger,
                           struct lease *lease) NONNULL;

/* -ESTALE with its line: the lease of a device that this transaction works on is not its own any
 * more. */
int transaction_lost(const struct name *device, struct error *error) NONNULL;

/* As transaction_begin, with this transaction's lease of a device: 1, and *ret points into the
 * ledger. 0 if the lease is not this transaction's: then it has not begun. */
int transaction_begin_with(struct transaction *transaction, const struct name *device,
                           struct ledger *ledger, struct lease **ret,
                           struct error *error) CHECKED NONNULL;

/* Under a lock of its own: gives this transaction's lease of a device another state, or forgets it.
 */
int transaction_move(struct transaction *transaction, const struct name *device,
                     enum lease_state state, struct error *error) CHECKED NONNULL;
int transaction_forget(struct transaction *transaction, const struct name *device,
                       struct error *error) CHECKED NONNULL;
