/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * judge: what is to become of a lease whose work was not finished, or whose domain is gone.
 *
 * Between prepare and QEMU's start there is no process, no status file and no open device, so a
 * slow start looks like a leak. Therefore a lease is left alone while its daemon lives, which owes
 * us a release, and whatever cannot be told is left alone as well.
 */

#pragma once

#include "apply/transaction.h"
#include "domain/status-files.h"

enum judgement {
    JUDGEMENT_LEAVE,  /* somebody's, or it cannot be told */
    JUDGEMENT_FORGET, /* nothing is left of its device, or that is not ours to remove */
    JUDGEMENT_KEEP,   /* its domain is gone, and its device stays for the domain's next start */
    JUDGEMENT_REMOVE, /* its device is to be removed, once it is proved that nobody has it open */
};

/* Under the lock. The guests were read while the ledger had the lease as it is now. *why is a
 * phrase for people, valid as long as the guests. */
enum judgement judge_lease(const struct transaction *transaction, const struct status_files *guests,
                           const struct lease *lease, const char **why) CHECKED NONNULL;

/* Whether the answer depends on the guests: reading them is not free. */
bool judge_needs_guests(const struct transaction *transaction,
                        const struct lease *lease) CHECKED NONNULL;
