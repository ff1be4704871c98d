/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * promise: places on this host that wait for one guest, while the guest is saved and its vGPUs
 * elsewhere on this host go.
 *
 *     promise_hold     finds a place for each vGPU that the guest has, and holds it
 *     ...the guest is saved, and its vGPUs are removed...
 *     promise_give     the places are the guest's: its next start takes them, and no others
 *     ...the guest is started...
 *     promise_close
 *
 * If the guest does not start there, promise_hold_former holds what it had before, if that is still
 * free.
 *
 * A place that is held has a pending lease of nobody, under the claim of this process, as a place
 * on a workbench. So no start gets the place, however many there are. If this process is killed,
 * the next start or reconcile sweeps these leases. A place that was given is reserved for the
 * guest for a minute, without a claim.
 *
 * Nothing of this waits for libvirt or for a driver under the ledger's lock.
 */

#pragma once

#include "actions/snapshot.h"

struct promise {
    const struct host *host;
    const struct request *request; /* the guest as it runs; borrowed */
    struct snapshot snapshot;
    struct transaction transaction; /* whose claim holds the places */
    struct name *devices;           /* of the leases that hold the places */
    struct lease *leases;           /* what each becomes */
    struct ledger former;           /* the leases that the guest had when its places were found */
    size_t count;                   /* 0: nothing is held */
};

#define PROMISE_NONE ((struct promise){.transaction = TRANSACTION_NONE})

/*
 * Holds a place for each vGPU of a guest that runs, of the type that the vGPU has, by the decision
 * of a start. The GPUs that are `left` do not count; nor do others than `only`, unless that is
 * empty. What the guest has now keeps its place meanwhile, but counts once for quotas. Nothing of
 * others is removed to make room. Returns REFUSED with the line of a start, or -errno with a line
 * in error. The caller closes ret in every case.
 */
int
promise_hold(const struct host *host, const struct request *request, const struct names *left,
             const struct names *only, struct promise *ret, struct error *error) CHECKED NONNULL;

/* Holds the places that the guest had when `before` was found. The guest does not run, and a
 * drained GPU takes it back. The same errors. */
int promise_hold_former(const struct promise *before, struct promise *ret,
                        struct error *error) CHECKED NONNULL;

/*
 * Finds places as promise_hold, and holds nothing. The snapshot was taken to show, with all types,
 * and may be asked about many guests: its ledger gets the places as leases of nobody, so that the
 * next guest finds others. To forget them, remove these leases. Afterwards the snapshot has the
 * demands of the guest, and `former` the leases that the guest has now. The same errors.
 */
int
promise_foresee(struct snapshot *snapshot, const struct host *host, const struct request *request,
                const struct names *left, const struct names *only, struct ledger *former,
                struct error *error) CHECKED NONNULL;

/* Gives the guest the places that are held. -EBUSY with a line in error: a vGPU of the guest is
 * still here. -ESTALE: the places are not held any more. */
int promise_give(struct promise *promise, struct error *error) CHECKED NONNULL;

/* Gives up what is still held. */
void promise_close(struct promise *promise) NONNULL;
