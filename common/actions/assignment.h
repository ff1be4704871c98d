/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * assignment: one call that gives a domain its vGPUs, and its steps. Each step says which is next:
 * look and decide, carry out what was decided, and look again where the kernel, or somebody who was
 * faster, says no.
 *
 * Only for assign.c and the two files of its steps; everybody else calls assign.h.
 */

#pragma once

#include "actions/snapshot.h"
#include "apply/recovery.h"
#include "apply/transaction.h"
#include "placement/plan.h"

#define ASSIGNMENT_QUICK 500 /* ms that a card may take to answer while others may have room */

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
    int rc;                  /* of the step that failed */
    struct deadline gone_by; /* when a UUID that was seen to be taken must be free; from then on */
};

/* What is to be done next. */
enum assignment_step {
    STEP_CARRY_OUT,  /* the plan is in the ledger, to be carried out */
    STEP_REMOVE_OWN, /* own leases that nobody wants are claimed, to be removed before all else */
    STEP_EVICT,      /* another's is claimed, to be removed before the next look */
    STEP_LOOK,       /* what was seen does not do for a decision: look again, at all leases */
    STEP_WAIT,       /* somebody is at work on the domain's leases: look again */
    STEP_BOOT_WAIT,  /* a GPU may still come up: look again later */
    STEP_AGAIN,      /* something was refused, or is not as it was: look again */
    STEP_DONE,
    STEP_FAILED, /* assignment.rc says how */
};

/* The step that failed, with rc. */
enum assignment_step assignment_fail(struct assignment *assignment, int rc) NONNULL;

/* What is to be placed, as it was seen at the last look. */
struct placement_problem assignment_problem(const struct assignment *assignment) NONNULL;

/* A restart of the daemon leaves its hooks running, and starts the guest anew, perhaps: nothing of
 * that is ours, and nobody would give back what we make. -ESRCH with a line in error. */
int assignment_check_daemon(const struct transaction *transaction, struct error *error) NONNULL;

/* Looks without the lock, and decides under it. What is to be done is in the ledger by then, or
 * error says why nothing can be. */
enum assignment_step assignment_decide(struct assignment *assignment, struct error *error) NONNULL;

/* Makes what was planned, without the lock. */
enum assignment_step
assignment_carry_out(struct assignment *assignment, struct error *error) NONNULL;
