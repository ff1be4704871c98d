/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * leftovers: leases whose work was not finished, because a hook was killed or a driver was late;
 * found under the lock, removed outside it.
 *
 * A starting domain's own leases are all leftovers: it is not running, so nobody else uses them. Of
 * a running one, which gets one more device, only that device's is. Of other domains' only those
 * count that libvirt owes no release for: given back already (leaving, removing), or claimed by a
 * hook that is gone, for a daemon that is gone.
 */

#pragma once

#include "apply/transaction.h"
#include "domain/status-files.h"
#include "placement/placement.h"

struct recovery {
    bool running;          /* the domain runs: what it holds stays as it is */
    struct ledger todo;    /* claimed by the transaction, to be removed */
    struct ledger evicted; /* others', that were in the way: their places are held for this call */
    struct names unremovable; /* devices that could not be removed in this call */
    struct error failure;     /* why */
};

void recovery_clear(struct recovery *recovery) NONNULL;

/*
 * Under the lock. Forgets own leases whose device is gone, and claims those that the
 * demands do not want as they are: todo then holds them. -EAGAIN with the lease if somebody is
 * still at work on one, or the kernel is; -EBUSY with who has it if one that a demand names could
 * not be removed.
 */
int recovery_claim_own(struct recovery *recovery, struct transaction *transaction,
                       const struct name *domain, const struct demands *demands,
                       const struct inventory *inventory, struct ledger *ledger,
                       struct error *error) CHECKED NONNULL;

/*
 * Under the lock, when there is no room: forgets other domains' leftovers whose device is gone, and
 * claims one that stands in the way, kept devices included; in the same step its place is claimed
 * for the domain, so that nobody comes between its removal and the next look. *changed: look again,
 * after removing what todo holds.
 */
int recovery_claim_others(struct recovery *recovery, struct transaction *transaction,
                          const struct placement_problem *problem, struct ledger *ledger,
                          bool *changed, struct error *error) CHECKED NONNULL;

/* Outside the lock: removes what was claimed: for as long as the transaction lasts what has a
 * device that is needed, and for so many milliseconds all others. */
void recovery_remove(struct recovery *recovery, struct transaction *transaction,
                     const struct demands *needed, unsigned patience_for_others) NONNULL;

/* --- for whoever decides, or only says what would be decided -----------------------------------
 */

/* What a start makes of a lease that its domain has already. */
enum recovery_own {
    RECOVERY_STAY,   /* its device is there, just as a demand wants it */
    RECOVERY_FORGET, /* its device is gone, or not ours to remove */
    RECOVERY_REMOVE, /* its device is not wanted, or not as it is */
    RECOVERY_BUSY,   /* somebody is still at work on it */
    RECOVERY_GOING,  /* the kernel is, and a demand needs the UUID */
};
enum recovery_own
recovery_judge_own(const struct transaction *transaction, const struct demands *demands,
                   const struct inventory *inventory, const struct lease *lease) CHECKED NONNULL;

/* The guests, if what is to become of any lease depends on them. The caller clears ret. */
void recovery_read_guests(const struct transaction *transaction, const struct ledger *ledger,
                          struct status_files *ret) NONNULL;

/* Whether nothing is left of another domain's lease. */
bool recovery_is_gone(const struct transaction *transaction, const struct status_files *guests,
                      const struct lease *lease) CHECKED NONNULL;

/* Under the lock: forgets other domains' leases of which nothing is left. Whether there were any.
 */
bool recovery_forget_gone(const struct transaction *transaction, const struct status_files *guests,
                          const struct name *domain, struct ledger *ledger) NONNULL;

/* Whether a lease may be removed to make room for a domain. */
bool recovery_may_reap(const struct transaction *transaction, const struct status_files *guests,
                       const struct name *domain, const struct lease *lease) CHECKED NONNULL;
