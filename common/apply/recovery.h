/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * recovery: leases whose work was not finished, because a hook was killed or a driver was late.
 * They are found under the lock, and removed outside it.
 *
 * fate.h says what becomes of each. All leases of a starting domain are judged: it does not run, so
 * nobody else uses them. If a running domain gets one more device, only the lease of that device is
 * judged. A lease of another domain counts only if libvirt owes no release for it. It was given
 * back already (leaving, removing), or the hook that claimed it is gone, and its daemon is too.
 */

#pragma once

#include "apply/remove-all.h"
#include "lease/fate.h"
#include "placement/problem.h"

struct recovery {
    bool running;             /* the domain runs, and keeps its devices as they are */
    struct removals needed;   /* claimed for removal: a demand names the device */
    struct removals todo;     /* claimed for removal: the device is only in the way */
    struct ledger evicted;    /* leases of others that were in the way: their places are reserved */
    struct names unremovable; /* devices that could not be removed in this call */
    struct error failure;     /* why not */
    bool is_busy;             /* another process, or the kernel, is still at work on an own lease */
    bool is_unknown;          /* is_busy, because the card's driver does not answer */
    struct look look;         /* the caller takes it before each decision */
};

void recovery_clear(struct recovery *recovery) NONNULL;

/* What becomes of a lease that the starting domain has already. *why as in fate_judge. */
enum fate recovery_judge_own(const struct transaction *transaction, const struct look *look,
                             const struct demands *demands, const struct inventory *inventory,
                             const struct ledger *ledger, const struct lease *lease,
                             const char **why) CHECKED NONNULL;

/*
 * Under the lock. Forgets own leases whose device is gone. If the demands do not want a lease as it
 * is, claims it for removal. If somebody is still at work on one, sets is_busy, names the lease in
 * error, and does nothing else. -EBUSY: a device that a demand names could not be removed; error
 * says why.
 */
int recovery_claim_own(struct recovery *recovery, struct transaction *transaction,
                       const struct name *domain, const struct demands *demands,
                       const struct inventory *inventory, struct ledger *ledger,
                       struct error *error) CHECKED NONNULL;

/*
 * Under the lock, if there is no room, after a look at all leases and at the guests. Forgets other
 * domains' leases of which nothing is left. Claims one lease that stands in the way; a kept one
 * too. The same step reserves its place for the domain, so that nobody takes the place between the
 * removal and the next look. A virtual function that the domain names is not reserved. *changed:
 * remove what was claimed, then look again.
 */
int recovery_claim_others(struct recovery *recovery, struct transaction *transaction,
                          const struct placement_problem *problem, struct ledger *ledger,
                          bool *changed, struct error *error) CHECKED NONNULL;

/* Outside the lock: removes what was claimed. occasion is OCCASION_START or OCCASION_ROOM. Needed
 * removals have the whole time of the transaction, the others so many milliseconds. A device that
 * could not be removed is unremovable from then on. */
void recovery_remove(struct recovery *recovery, struct transaction *transaction,
                     enum fate_occasion occasion, unsigned patience_for_others) NONNULL;

/*
 * Forgets the leases of which nothing is left, or whose devices are not ours to remove. Each is
 * logged under the name of the event, unless that is NULL. may_evict gets a flag per lease that
 * stays: whether it may be removed to make room for the domain. If the domain runs, its own leases
 * are judged like those of others. Returns whether any lease was forgotten.
 */
bool recovery_sort_others(const struct statedir *statedir, const struct look *look,
                          const struct name *domain, bool running, const char *event,
                          struct ledger *ledger, bool *may_evict)
    __attribute__((nonnull(1, 2, 3, 6, 7)));
