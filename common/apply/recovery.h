/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * recovery: leases whose work was not finished, because a hook was killed or a driver was late;
 * found under the lock, removed outside it.
 *
 * What becomes of each is fate.h's to say. A starting domain's own leases are all looked at: it is
 * not running, so nobody else uses them. Of a running one, which gets one more device, only that
 * device's is. Of other domains' only those count that libvirt owes no release for: given back
 * already (leaving, removing), or claimed by a hook that is gone, for a daemon that is gone.
 */

#pragma once

#include "apply/remove-all.h"
#include "lease/facts.h"
#include "placement/problem.h"

struct recovery {
    bool running;             /* the domain runs: what it holds stays as it is */
    struct removals needed;   /* claimed, to be removed: a demand names the device; */
    struct removals todo;     /* and those that are only in the way */
    struct ledger evicted;    /* others', that were in the way: their places are reserved */
    struct names unremovable; /* devices that could not be removed in this call */
    struct error failure;     /* why */
    bool is_busy;             /* somebody is still at work on an own lease, or the kernel is */
    bool is_unknown;          /* or the driver of its card does not answer */
    struct look look;         /* the caller's, before each decision */
};

void recovery_clear(struct recovery *recovery) NONNULL;

/* What a start makes of a lease that its domain has already. *why as fate_judge. */
enum fate recovery_judge_own(const struct transaction *transaction, const struct look *look,
                             const struct demands *demands, const struct inventory *inventory,
                             const struct lease *lease, const char **why) CHECKED NONNULL;

/*
 * Under the lock. Forgets own leases whose device is gone, and claims those that the demands do not
 * want as they are, to be removed. is_busy, with the lease in error, if somebody is still at
 * work on one; then nothing else is done. -EBUSY with who has it if one that a demand names could
 * not be removed.
 */
int recovery_claim_own(struct recovery *recovery, struct transaction *transaction,
                       const struct name *domain, const struct demands *demands,
                       const struct inventory *inventory, struct ledger *ledger,
                       struct error *error) CHECKED NONNULL;

/*
 * Under the lock, when there is no room, after a look at all leases and at the guests. Forgets
 * other domains' leases of which nothing is left, and claims one that stands in the way, kept
 * devices included; in the same step its place is reserved for the domain, so that nobody comes
 * between its removal and the next look. *changed: look again, after removing what was claimed.
 */
int recovery_claim_others(struct recovery *recovery, struct transaction *transaction,
                          const struct placement_problem *problem, struct ledger *ledger,
                          bool *changed, struct error *error) CHECKED NONNULL;

/* Whether something is claimed, to be removed. */
bool recovery_has_work(const struct recovery *recovery) CHECKED NONNULL;

/* Outside the lock: removes what was claimed, which is FATE_START's or FATE_ROOM's: for as long as
 * the transaction lasts what is needed, and for so many milliseconds the others. What could not be
 * removed is unremovable from then on. */
void recovery_remove(struct recovery *recovery, struct transaction *transaction,
                     enum fate_occasion occasion, unsigned patience_for_others) NONNULL;

/*
 * Forgets the leases of which nothing is left or whose devices are not ours to remove, logged under
 * the name of the event unless that is NULL, and writes into may_evict, a flag per lease that
 * stays, which may be removed to make room for the domain. Of a domain that runs its own are judged
 * like others'. Whether any was forgotten.
 */
bool recovery_sort_others(const struct statedir *statedir, const struct look *look,
                          const struct name *domain, bool running, const char *event,
                          struct ledger *ledger, bool *may_evict)
    __attribute__((nonnull(1, 2, 3, 6, 7)));
