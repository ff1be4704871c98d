/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * apply: makes one vGPU whose lease is this transaction's, or checks one that is to be used again.
 * It also has the functions that a removal needs (remove-all.h).
 *
 * At every instant the ledger says at least what the kernel may have. "pending" is recorded before
 * a create is written, and "removing" before a remove. A lease is forgotten only when its device is
 * gone. So a transaction may be killed anywhere.
 */

#pragma once

#include "apply/transaction.h"
#include "lease/look.h"

/*
 * Makes the vGPU, and waits until it is whole and of its type. 0; -ETIMEDOUT: the driver did not
 * answer by the transaction's deadline; -ECHILD: there is no writer; -ENOTRECOVERABLE: the vGPU is
 * only half made. After these three there may be something of it. Any other -errno is the kernel's
 * refusal. -EEXIST: the UUID is taken.
 */
int apply_make(struct transaction *transaction, const struct lease *lease,
               struct error *error) CHECKED NONNULL;

/* Replaces the driver parameters of a vGPU that was just made or taken. 0, or why not. */
int apply_configure(struct transaction *transaction, const struct lease *lease, const char *params,
                    struct error *error) CHECKED NONNULL;

/* Whether nobody has the vGPU open: 0; -EBUSY after a moment, and error names the holder; -ENODEV:
 * it is gone. Only for a domain that does not run yet, and has no other call under way. */
int apply_check_unused(struct transaction *transaction, const struct lease *lease,
                       struct error *error) CHECKED NONNULL;

/* Looks at the vGPU now. A driver that was written to may be slow to answer: it has until the
 * deadline. */
void apply_look(const struct transaction *transaction, const struct vgpu *vgpu,
                struct deadline deadline, struct look_device *seen) NONNULL;

/* Waits until nobody has the vGPU open. 0: the writer holds the proof; -ENODEV: it is gone or
 * going; -EBUSY; -ETIMEDOUT: its card does not answer; else why it cannot be proved. *seen is the
 * last look. */
int apply_wait_unused(struct transaction *transaction, const struct vgpu *vgpu,
                      struct deadline deadline, struct look_device *seen) CHECKED NONNULL;

/* -EBUSY with a line that names the process that has the vGPU open, as far as that is seen. */
int apply_explain_busy(const struct transaction *transaction, const struct vgpu *vgpu,
                       struct error *error) NONNULL;
