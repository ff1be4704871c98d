/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * job: one use case at work: its state directory, its writer, its deadline.
 *
 * Look, decide and record under the lock, act outside it:
 *
 *     job_look(job, &ledger, &error);          locks and reads the ledger
 *     ...decide, change the ledger...
 *     job_record(job, &ledger, &error);        writes it and unlocks; or job_leave, which does not
 *     ...write to /sys through job->writer...
 *     job_move(job, &device, LEASE_HELD, ...);  records how that went
 *
 * A lease is only ever acted on by the process whose claim it bears. job_move is a compare-and-set:
 * it changes nothing if the lease has another's claim by now.
 */

#pragma once

#include "apply/writer.h"
#include "lease/statedir.h"

struct job {
    const struct host *host;
    struct statedir statedir;
    struct writer writer;
    struct process daemon;    /* who runs us, and owes us a release */
    unsigned lock_timeout;    /* ms that are left of it, for all of this job's waits */
    struct deadline deadline; /* for all of it */
};

/* What job_end does nothing to. */
#define JOB_NONE ((struct job){.statedir = STATEDIR_CLOSED, .writer = WRITER_IDLE(NULL)})

/*
 * Opens the state directory, making it if make is true; -ENOENT, without a word in error, if it is
 * missing and make is false. job_end in every case. It gives up the claim, unless a write is still
 * under way: then the writer keeps it for as long as it lives, for that device alone.
 */
int
job_begin(const struct host *host, bool make, struct job *ret, struct error *error) CHECKED NONNULL;
void job_end(struct job *job) NONNULL;

/* A job that only looks, to ask what may be done with leases. job_end. */
void job_begin_to_look(const struct host *host, struct job *ret) NONNULL;

/* The caller clears ledger in every case. */
int job_look(struct job *job, struct ledger *ledger, struct error *error) CHECKED NONNULL;
int job_record(struct job *job, const struct ledger *ledger, struct error *error) CHECKED NONNULL;
void job_leave(struct job *job) NONNULL;

/* Whether a lease is nobody's or this job's to act on. */
bool job_may_act(const struct job *job, const struct lease *lease) CHECKED NONNULL;

/* Marks a lease as this job's, under the lock, in a state. Takes the job's claim if needed. */
int job_claim(struct job *job, struct ledger *ledger, struct lease *lease, enum lease_state state,
              struct error *error) CHECKED NONNULL;

/* The same for one that is to be removed: leaving, or removing if it was that already. */
int job_claim_removal(struct job *job, struct ledger *ledger, struct lease *lease,
                      struct error *error) CHECKED NONNULL;

/* Whether the job's writer was left behind at work on another device: it acts no more on this one.
 */
bool job_is_stuck_elsewhere(const struct job *job, const struct lease *lease) CHECKED NONNULL;

/* Marks a lease as leaving, and nobody's to act on. */
void job_give_up(struct lease *lease) NONNULL;

/* Under a lock of its own: gives this job's lease of a device another state, or forgets it. */
int job_move(struct job *job, const struct name *device, enum lease_state state,
             struct error *error) CHECKED NONNULL;
int job_forget(struct job *job, const struct name *device, struct error *error) CHECKED NONNULL;

/* The same for what this job could not remove and does not wait for: leaving, and nobody's to act
 * on, unless its writer was left at work on it. */
int job_hand_back(struct job *job, const struct name *device, struct error *error) CHECKED NONNULL;
