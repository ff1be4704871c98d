/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * lease-outcomes: what became of leases, for the people who asked. 'vgpuctl reconcile' and 'vgpuctl
 * reap' print them.
 */

#pragma once

#include "apply/remove-all.h"

enum outcome {
    OUTCOME_LEFT,
    OUTCOME_FORGOTTEN,
    OUTCOME_KEPT,
    OUTCOME_REMOVED,
    OUTCOME_ADOPTED,
};

/* What became of one lease. */
struct lease_outcome {
    struct lease lease; /* as it was found or made */
    enum outcome outcome;
    struct error why; /* for people */
};

struct lease_outcomes {
    struct lease_outcome *items;
    size_t count;
    size_t failed;         /* number of those left that should have been removed */
    struct path set_aside; /* where a broken ledger is now; "": it was sound */
};

void lease_outcomes_clear(struct lease_outcomes *outcomes) NONNULL;

/* Adds a copy of a lease, with its outcome. */
void lease_outcomes_add(struct lease_outcomes *outcomes, const struct lease *lease,
                        enum outcome outcome, const char *why) NONNULL;

/* Corrects the outcomes of removals that failed: their devices were left, and count as failed. Each
 * removal has an outcome. */
void
lease_outcomes_correct(struct lease_outcomes *outcomes, const struct removals *removals) NONNULL;

/* "removed" or the like. */
const char *outcome_name(enum outcome outcome);
