/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reconcile: compares the ledger, /sys and libvirt's status files. It finishes or undoes what a
 * hook, a daemon or a driver left half done.
 *
 * If fate.h says that a vGPU is nobody's, it is removed, under the proof that nobody has it open.
 * If a running guest holds a device that no lease names, the device gets a lease. If a lease cannot
 * be judged, it is left alone, and named. reconcile may run at any time, beside any hook: only the
 * holder of a lease's claim acts on it.
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

/* The use case of `vgpuctl reconcile`. The caller clears ret in every case. */
int
reconcile_host(const struct host *host, struct findings *ret, struct error *error) CHECKED NONNULL;

/*
 * The use case of `vgpuctl reconcile --rebuild`. A ledger that cannot be read (broken, or another
 * version's) is set aside. A new one takes its place, with what running guests ask for and hold. A
 * vGPU that no running guest holds is nobody's from then on. A readable ledger stays as it is, and
 * ret has no findings.
 */
int reconcile_rebuild(const struct host *host, struct findings *ret,
                      struct error *error) CHECKED NONNULL;
void findings_clear(struct findings *findings) NONNULL;

/* Adds a copy of a lease, with its outcome. */
void findings_add(struct findings *findings, const struct lease *lease, enum outcome outcome,
                  const char *why) NONNULL;

/* Corrects the findings of removals that failed: their devices were left, and count as failed. Each
 * removal has a finding. */
void findings_correct(struct findings *findings, const struct removals *removals) NONNULL;

/* "removed" or the like. */
const char *outcome_name(enum outcome outcome);
