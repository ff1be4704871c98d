/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * workbench: a GPU that one process has for itself, and the vGPUs that it makes there.
 *
 * The GPU is taken in one step under the ledger's lock, if no lease is on it. A link then says that
 * the GPU is being proved (lease/proving.h). From then on no other process of ours makes a vGPU on
 * the GPU. That lasts as long as this process has the workbench, or a program that was started
 * meanwhile runs: a tool that outlives this process still has the GPU.
 *
 * Each vGPU has a pending lease without a guest. All these leases are under one claim, which this
 * process keeps to its end. So all other processes leave the vGPU alone while this process lives.
 * If this process is killed, 'vgpuctl reconcile' or the next start removes the vGPU, as after a
 * start that was interrupted. A vGPU that was not made here is never removed.
 */

#pragma once

#include "actions/snapshot.h"

struct workbench {
    const struct host *host;
    struct name gpu;
    struct transaction transaction;
    unsigned lock_timeout; /* ms */
    bool is_taken;
};

#define WORKBENCH_NONE ((struct workbench){.transaction = TRANSACTION_NONE})

/* Takes a GPU. The snapshot was just taken: its types are remembered (type-cache.h), and its policy
 * says how long to wait for the lock. -EBUSY with a line in error: somebody has a vGPU there, or
 * the GPU is being proved. Else -errno. The caller closes ret in every case. */
int workbench_take(const struct host *host, const struct name *gpu, const struct snapshot *snapshot,
                   struct workbench *ret, struct error *error) CHECKED NONNULL;

/* The same whatever leases are on the GPU: the caller judges them. No types are remembered. */
int workbench_take_with_leases(const struct host *host, const struct name *gpu,
                               const struct snapshot *snapshot, struct workbench *ret,
                               struct error *error) CHECKED NONNULL;

/* Looks who uses a GPU that was taken, so that nobody begins to (sriov/sriov.h). -EBUSY with a line
 * in error that names them. */
int workbench_check_users(const struct workbench *bench, struct error *error) CHECKED NONNULL;

#define WORKBENCH_PATIENCE 60000U /* ms that a driver may take to make or remove one vGPU */

/* Records a lease, and then makes its vGPU. A mediated device gets a free UUID. Returns 0, or
 * -errno with a line in error. *is_refused: the driver refused, and nothing of the vGPU is there.
 */
int workbench_make(struct workbench *bench, const struct place *place, struct name *device,
                   bool *is_refused, struct error *error) CHECKED NONNULL;

/* Removes a vGPU that was made here. 0: nothing of it is left, and its lease is forgotten. Else
 * -errno with a line in error: the lease is handed back, so that 'vgpuctl reconcile' can go on. */
int workbench_remove(struct workbench *bench, const struct name *device,
                     struct error *error) CHECKED NONNULL;

/* Gives the GPU back, unless a writer or a program was left behind. vGPUs of this process that are
 * still there belong to nobody from then on, as after a kill. */
void workbench_close(struct workbench *bench) NONNULL;
