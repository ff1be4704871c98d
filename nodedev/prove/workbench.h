/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * workbench: a GPU that one process has for itself, and the vGPUs that it makes there.
 *
 * Taking the GPU is one step under the ledger's lock: no lease is on the GPU, and its link says
 * that it is being proved (lease/proving.h). From then on no other process of ours makes anything
 * on it.
 *
 * Each vGPU has a lease of nobody's, pending, under the one claim that this process keeps to its
 * end. So everybody leaves the vGPU alone while the process lives. If the process is killed,
 * 'vgpuctl reconcile' or the next start removes the vGPU, as one whose making was broken off.
 * Nothing on the GPU is ever removed that was not made here.
 */

#pragma once

#include "apply/transaction.h"
#include "policy/policy.h"

struct workbench {
    const struct host *host;
    struct policy policy;
    struct name gpu;
    struct transaction transaction;
    bool is_taken;
};

#define WORKBENCH_NONE ((struct workbench){.transaction = TRANSACTION_NONE})

/* Takes a GPU. The inventory that was just read has its types; they are remembered (type-cache.h).
 * -EBUSY with a line in error: somebody has a vGPU there, or it is being proved. -errno. The caller
 * closes ret in every case. */
int
workbench_take(const struct host *host, const struct name *gpu, const struct inventory *inventory,
               struct workbench *ret, struct error *error) CHECKED NONNULL;

/* Makes a vGPU, whose lease is recorded first. A free UUID is chosen for a mediated device.
 * milliseconds: how long the driver may take. 0; -errno with a line in error. *is_refused: the
 * driver refused, and nothing of the vGPU is there. */
int workbench_make(struct workbench *bench, const struct inventory *inventory, size_t parent,
                   size_t type, unsigned milliseconds, struct name *device, bool *is_refused,
                   struct error *error) CHECKED NONNULL;

/* Removes a vGPU that was made here. 0: nothing of it is left, and its lease is forgotten. Else
 * -errno with a line in error: the lease is handed back, and 'vgpuctl reconcile' goes on. */
int workbench_remove(struct workbench *bench, const struct name *device, unsigned milliseconds,
                     struct error *error) CHECKED NONNULL;

/* Gives the GPU back. If vGPUs of this process are still there, they are nobody's from then on, as
 * after a kill. */
void workbench_close(struct workbench *bench) NONNULL;
