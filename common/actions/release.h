/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * release: gives back what a domain's leases say.
 *
 * Only the ledger says what is the domain's: its XML may name other guests' devices, and lacks
 * those that were unplugged. What cannot be removed in time keeps its lease, leaving or removing,
 * for the domain's next prepare or whoever comes by (apply/remove-all.h).
 */

#pragma once

#include "apply/transaction.h"

/* Which leases are to be given back. */
struct release_scope {
    const struct name *domain;
    const struct name *device; /* this one only, which is not kept; NULL: all */
    uint64_t claim;            /* those only that this claim has; 0: whichever */
    bool of_ended;             /* those only whose daemon has ended */
    uint64_t below;            /* those only that have a lower number; 0: whichever */
};

/*
 * Gives them back until the deadline: those of found devices are forgotten, those of made ones
 * removed, or kept if the lease says so and the domain ends. Leases that another process is at work
 * on are waited for. 0 when none is left; otherwise the last failure, each of them in error.
 */
int release_leases(struct transaction *transaction, const struct release_scope *scope,
                   struct deadline deadline, struct error *error) CHECKED NONNULL;

/* The use case of the hook's `release`: cheap for a domain without leases. Whatever keeps it from
 * its work, a mark is left until somebody has done it (lease/marks.h). Without a daemon, which
 * is how a hook finds itself that was left behind, what another daemon runs is none of its
 * business. */
int release_domain(const struct host *host, const struct name *domain,
                   struct error *error) CHECKED NONNULL;

/* The use case of `vgpuctl detach --live`: one device, which the running domain has no more. 0 as
 * well if it has no lease of the domain's. */
int release_device(const struct host *host, const struct name *domain, const struct name *device,
                   struct error *error) CHECKED NONNULL;
