/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * remove-all: removes the vGPUs of leases that are to go, for every caller.
 *
 * fate.h says which leases go. They are claimed under the lock, in the same step as that decision.
 * They are removed outside it, one after the other:
 *
 *     prove     nobody has it open, and nobody gets in (vgpu_prove)
 *     write     the ledger says "removing", then the kernel is told, with the proof held
 *     record    fate.h is told the outcome, and says what the lease becomes
 *
 * Each lease is tried once. If its vGPU could not be removed, the lease is handed back at once,
 * under a new number, because this process may go on for long. If a driver does not come back, the
 * writer that waits for it keeps the claim. Nothing more can be written then, and all other leases
 * are handed back. A lease that is another's now is not touched.
 */

#pragma once

#include "apply/transaction.h"
#include "lease/fate.h"

struct removal {
    struct lease lease; /* as it was before it was claimed */
    enum fate fate;     /* FATE_REMOVE until it was tried; FATE_REMOVED: it is gone */
    int rc;             /* 0, or -errno: why it is not gone */
    struct error why;   /* the same in words */
};

struct removals {
    struct removal *items;
    size_t count;
};

/* The terms in which the callers differ. */
struct removal_terms {
    enum fate_occasion occasion;
    const char *event;        /* the log's word for it, "release"; NULL: nothing is logged, and
                                 failures is not NULL */
    struct deadline deadline; /* by when all of them must be gone */
    unsigned each;            /* ms that each one has instead; 0: the deadline counts */
    unsigned patience;        /* ms that users have to let go, all together; 0: the whole time */
    struct error *failures;   /* gets the failures; NULL: they are logged */
};

/* Claims a lease, under the lock, and adds it. If it is among them already, it was tried, and stays
 * as it is. The caller clears removals. */
int removals_claim(struct removals *removals, struct transaction *transaction,
                   struct ledger *ledger, struct lease *lease, struct error *error) CHECKED NONNULL;
void removals_clear(struct removals *removals) NONNULL;

/* Outside the lock: tries all that were not tried yet. A device in use has its share of the waiting
 * time, so that those after it have theirs. */
void remove_all(struct transaction *transaction, struct removals *removals,
                const struct removal_terms *terms) NONNULL;
