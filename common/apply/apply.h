/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * apply: makes one vGPU whose lease is this transaction's, or takes one back; and what is needed
 * for its removal (remove-all.h).
 *
 * At every instant the ledger says at least what the kernel may have: "pending" is recorded before
 * a create is written, "removing" before a remove, and a lease is forgotten only when its device is
 * gone. So a transaction may be killed anywhere.
 */

#pragma once

#include "apply/transaction.h"
#include "lease/look.h"

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

/* What is seen of it now. A driver that was written to may be slow to answer: it has until the
 * deadline. */
void apply_look(const struct transaction *transaction, const struct vgpu *vgpu,
                struct deadline deadline, struct look_device *seen) NONNULL;

/* Waits until nobody has it open: 0, and the writer holds the proof; -ENODEV if it is gone or
 * going; -EBUSY; -ETIMEDOUT if its card does not answer; or why it cannot be proved. *seen: at the
 * last look. */
int apply_wait_unused(struct transaction *transaction, const struct vgpu *vgpu,
                      struct deadline deadline, struct look_device *seen) CHECKED NONNULL;

/* -EBUSY with a line that says who has it open, as far as that is seen. */
int apply_explain_busy(const struct transaction *transaction, const struct vgpu *vgpu,
                       struct error *error) NONNULL;
