/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * apply: makes or removes one vGPU whose lease is this transaction's, and keeps the ledger true to
 * it.
 *
 * At every instant the ledger says at least what the kernel may have: "pending" is recorded before
 * a create is written, "removing" before a remove, and a lease is forgotten only when its device is
 * gone. So a transaction may be killed anywhere.
 */

#pragma once

#include "apply/transaction.h"

/*
 * Makes it and waits until it is whole and of its type. 0; -ETIMEDOUT when the driver did not
 * answer by the transaction's deadline, -ECHILD when there is no writer, -ENOTRECOVERABLE when it
 * is only half made: after these there may be something of it. Else the kernel's -errno, when it
 * refused. -EEXIST: the UUID is taken.
 */
int apply_make(struct transaction *transaction, const struct lease *lease,
               struct error *error) CHECKED NONNULL;

/* Sets driver parameters on one that was just made or taken, instead of those it has: 0, or why
 * not.
 */
int apply_configure(struct transaction *transaction, const struct lease *lease, const char *params,
                    struct error *error) CHECKED NONNULL;

/* Whether nobody has it open: 0; -EBUSY with who has, after waiting a moment; -ENODEV if it is
 * gone. Only for a domain that is not running yet, and has no other call under way. */
int apply_check_unused(struct transaction *transaction, const struct lease *lease,
                       struct error *error) CHECKED NONNULL;

/*
 * Removes it, once it is proved that nobody has it open, and forgets its lease. Waits for users to
 * let go while patience lasts, and for the kernel until the deadline. -EBUSY with who has it in
 * error, or -ETIMEDOUT, if it is still there then; its lease stays, leaving or removing.
 */
int
apply_remove(struct transaction *transaction, const struct lease *lease, struct deadline patience,
             struct deadline deadline, struct error *error) CHECKED NONNULL;
