/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * remove-all: removes the vGPUs of leases that are to go, whoever wants that.
 *
 * fate.h says which leases go. They are claimed under the lock, in the same step in which that was
 * decided, and are removed outside it, one after the other:
 *
 *     prove     nobody has it open, and nobody gets in (vgpu_prove)
 *     write     the ledger says "removing", then the kernel is told, with the proof held
 *     record    fate.h is told what came of it, and says what the lease becomes
 *
 * Each lease is tried once. What could not be removed is nobody's to act on at once, under a new
 * number, although this process may go on for long. But where a driver does not come back, the
 * writer that waits for it keeps the claim; nothing more can be written then, and all other leases
 * are handed back. A lease that is another's by now is not touched.
 */

#pragma once

#include "apply/transaction.h"
#include "lease/fate.h"

struct removal {
    struct lease lease; /* as it was before it was claimed */
    enum fate fate;     /* FATE_REMOVE until it was tried; FATE_REMOVED: it is gone */
    int rc;             /* why it is not: -errno, */
    struct error why;   /* in words */
};

struct removals {
    struct removal *items;
    size_t count;
};

/* What the callers differ in. */
struct removal_terms {
    enum fate_occasion occasion;
    const char *event;        /* the log's word for it, "release" */
    struct deadline deadline; /* by when all of them must be gone, */
    unsigned each;            /* or how many ms each one has for itself; 0: the deadline counts */
    unsigned patience;        /* ms that users have to let go, all together; 0: all the time */
    struct error *failures;   /* what could not be removed is added to it; NULL: it is logged */
};

/* Claims a lease, under the lock, and adds it. One that is among them already was tried, and stays
 * as it is. The caller clears removals. */
int removals_claim(struct removals *removals, struct transaction *transaction,
                   struct ledger *ledger, struct lease *lease, struct error *error) CHECKED NONNULL;
void removals_clear(struct removals *removals) NONNULL;

/* Outside the lock: tries all that were not tried yet. A device that is in use is waited for, each
 * with its share of the time, so that one does not use up that of those after it. */
void remove_all(struct transaction *transaction, struct removals *removals,
                const struct removal_terms *terms) NONNULL;
