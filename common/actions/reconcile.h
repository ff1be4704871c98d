/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reconcile: compares the ledger, /sys and libvirt's status files, and finishes or undoes what a
 * hook, a daemon or a driver left half done.
 *
 * What is judged (fate.h) to be nobody's is removed, under the proof that nobody has it open; what
 * a running guest holds and no lease names gets one; what cannot be judged is left alone, and
 * named. It may run at any time, beside any hook: whoever holds a lease's claim acts on it.
 */

#pragma once

#include "apply/remove-all.h"
#include "base/error.h"
#include "base/host.h"

enum outcome {
    OUTCOME_LEFT,
    OUTCOME_FORGOTTEN,
    OUTCOME_KEPT,
    OUTCOME_REMOVED,
    OUTCOME_ADOPTED,
};

/* What became of one lease. */
struct finding {
    struct lease lease; /* as it was found, or made */
    enum outcome outcome;
    struct error why; /* for people */
};

struct findings {
    struct finding *items;
    size_t count;
    size_t failed;         /* of those left: what should have been removed, and could not be */
    struct path set_aside; /* where a broken ledger is now; "": it was sound */
};

/* The use case of `vgpuctl reconcile`. The caller clears ret in every case. */
int
reconcile_host(const struct host *host, struct findings *ret, struct error *error) CHECKED NONNULL;

/*
 * The use case of `vgpuctl reconcile --rebuild`: a ledger that cannot be read (broken, or another
 * version's) is set aside, and one takes its place that has what running guests ask for and hold.
 * What nobody runs with is nobody's from then on. One that can be read stays as it is, and nothing
 * is found.
 */
int reconcile_rebuild(const struct host *host, struct findings *ret,
                      struct error *error) CHECKED NONNULL;
void findings_clear(struct findings *findings) NONNULL;

/* Copies one more. */
void findings_add(struct findings *findings, const struct lease *lease, enum outcome outcome,
                  const char *why) NONNULL;

/* What should have been removed, and could not be, was left, and has failed. Each removal has a
 * finding. */
void findings_correct(struct findings *findings, const struct removals *removals) NONNULL;

/* "removed" or the like. */
const char *outcome_name(enum outcome outcome);
