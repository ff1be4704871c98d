/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * assignment: one call that gives a domain its vGPUs, and how it decides what to do next: it looks
 * without the lock, and gathers facts, decides (start.h) and records under the lock.
 *
 * Only for assign.c and making.c; everybody else calls assign.h.
 */

#pragma once

#include "actions/snapshot.h"
#include "actions/start.h"
#include "apply/recovery.h"
#include "apply/transaction.h"
#include "placement/plan.h"

#define ASSIGNMENT_QUICK 500 /* ms that a card may take to answer while others may have room */

struct assign_handover; /* assign.h */

struct assignment {
    struct transaction transaction;
    const struct request *request;
    const struct name *device; /* the only one, of a running domain; NULL: all of a starting one */
    struct snapshot snapshot;
    struct recovery recovery;
    unsigned patience; /* ms that a card may take to answer */
    bool looks_at_all; /* leases, and at the guests; at first only at the domain's own */
    struct placement_rejection *rejections;
    size_t rejection_count;
    unsigned asked_again;
    struct plan plan;
    struct names ours;       /* vGPUs that this call has made, or taken back */
    unsigned boot_wait_left; /* ms that a GPU which is not there yet is worth waiting for */
    int rc;                  /* what the call comes to, should it end now */
    unsigned done;           /* what it has done: the first facts of start.h */
    const struct assign_handover *handover; /* of a running domain */
    struct deadline gone_by; /* when a UUID that was seen to be taken must be free; from then on */
};

void assignment_clear(struct assignment *assignment) NONNULL;

/* What is to be placed, as it was seen at the last look. */
struct placement_problem assignment_problem(const struct assignment *assignment) NONNULL;

/* A restart of the daemon leaves its hooks running, and starts the guest anew, perhaps: nothing of
 * that is ours, and nobody would give back what we make. -ESRCH with a line in error. */
int assignment_check_daemon(const struct transaction *transaction, struct error *error) NONNULL;

/* The next step, never one that asks. What is to be done is in the ledger by then; else
 * assignment.rc and error say why nothing can be, should it end there. */
enum start_step assignment_decide(struct assignment *assignment, struct error *error) NONNULL;
