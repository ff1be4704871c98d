/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * assignment: one call that gives a domain its vGPUs, and how it decides its next step. It looks
 * without the lock. Under the lock it gathers facts, decides (start.h) and records.
 *
 * Only for assign.c, making.c and dry-run.c; all others call assign.h.
 */

#pragma once

#include "actions/snapshot.h"
#include "actions/start.h"
#include "apply/recovery.h"
#include "apply/transaction.h"
#include "placement/plan.h"

#define ASSIGNMENT_QUICK 500 /* ms that a card has to answer while others may have room */

struct assign_handover; /* assign.h */

struct assignment {
    struct transaction transaction;
    const struct request *request;
    const struct name *device; /* the only one, of a running domain; NULL: all of a starting one */
    struct snapshot snapshot;
    struct recovery recovery;
    unsigned patience; /* ms that a card has to answer */
    bool looks_at_all; /* it looks at all leases and at the guests; at first only at own leases */
    struct placement_rejection *rejections;
    size_t rejection_count;
    unsigned asked_again;
    size_t effort; /* of all searches of this decision, which the lock is held for */
    struct plan plan;
    struct names ours;       /* vGPUs that this call has made or reused */
    unsigned boot_wait_left; /* ms that are left to wait for a GPU that is not there yet */
    int rc;                  /* the result of the call, if it ends now */
    unsigned done;           /* the first facts of start.h: what the call has done */
    const struct assign_handover *handover; /* of a running domain */
    struct deadline gone_by; /* when a UUID that was seen taken must be free; unset until then */
};

void assignment_clear(struct assignment *assignment) NONNULL;

/* What is to be placed, as the last look saw it. */
struct placement_problem assignment_problem(struct assignment *assignment) NONNULL;

/* Whether a GPU that could serve the demands may have more room than its driver shows yet, because
 * a vGPU was just removed there. */
bool assignment_has_recent_removal(const struct host *host,
                                   const struct placement_problem *problem) CHECKED NONNULL;

/* Whether our daemon still lives. If it has ended, its hooks run on, and the next daemon may start
 * the guest anew. That run is not ours, and nobody would give back what we make. -ESRCH with a line
 * in error. */
int assignment_check_daemon(const struct transaction *transaction, struct error *error) NONNULL;

/* The next step, but never one that asks: the asking is done here. If the step does something, the
 * ledger says so by then. If nothing can be done, assignment.rc and error say why. */
enum start_step assignment_decide(struct assignment *assignment, struct error *error) NONNULL;
