/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * release: gives back what a domain's leases say.
 *
 * Only the ledger says which devices are the domain's. Its XML may name other guests' devices, and
 * lacks those that were unplugged. If a device cannot be removed in time, its lease stays, in the
 * state leaving or removing. The domain's next prepare or another process goes on with it
 * (apply/remove-all.h).
 */

#pragma once

#include "apply/transaction.h"

/* Which leases are to be given back. */
struct release_scope {
    const struct name *domain;
    const struct name *device; /* only this one, which is not kept; NULL: all */
    uint64_t claim;            /* only those with this claim; 0: any */
    bool of_ended;             /* only those whose daemon has ended */
    uint64_t below;            /* only those with a lower number; 0: any */
};

/*
 * Gives them back until the deadline. Leases of found devices are forgotten. Made devices are
 * removed, or kept if the lease says so and the domain ends. If another process is at work on a
 * lease, it is waited for. 0 when none is left; else the last failure, and error has all of them.
 */
int release_leases(struct transaction *transaction, const struct release_scope *scope,
                   struct deadline deadline, struct error *error) CHECKED NONNULL;

/* The use case of the hook's `release`, cheap for a domain without leases. It gives back the cards
 * that the domain has taken itself, too. Whatever stops the release, its mark stays until somebody
 * has done its work (lease/marks.h). If the hook's daemon has ended, only leases whose daemon has
 * ended are given back: the others are of a later run. `reason` is libvirt's word for the end:
 * "saved", or "-" if libvirt is older than 10.5. If the guest may have been saved, the types of its
 * vGPUs are noted (lease/saved-type.h). */
int release_domain(const struct host *host, const struct request *request, const char *reason,
                   struct error *error) CHECKED NONNULL;

/* The use case of `vgpuctl detach --live`, for one device that the running domain does not have any
 * more. 0 also if the domain has no lease of it. */
int release_device(const struct host *host, const struct name *domain, const struct name *device,
                   struct error *error) CHECKED NONNULL;
