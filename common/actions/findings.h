/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * findings: what became of leases, for the people who asked. 'vgpuctl reconcile' and 'vgpuctl reap'
 * print them.
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
struct finding {
    struct lease lease; /* as it was found or made */
    enum outcome outcome;
    struct error why; /* for people */
};

struct findings {
    struct finding *items;
    size_t count;
    size_t failed;         /* number of those left that should have been removed */
    struct path set_aside; /* where a broken ledger is now; "": it was sound */
};

void findings_clear(struct findings *findings) NONNULL;

/* Adds a copy of a lease, with its outcome. */
void findings_add(struct findings *findings, const struct lease *lease, enum outcome outcome,
                  const char *why) NONNULL;

/* Corrects the findings of removals that failed: their devices were left, and count as failed. Each
 * removal has a finding. */
void findings_correct(struct findings *findings, const struct removals *removals) NONNULL;

/* "removed" or the like. */
const char *outcome_name(enum outcome outcome);
