/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * proving: which GPUs a vgpuctl has for itself, for prove, setup or sriov. Nobody else gets a vGPU
 * there meanwhile.
 *
 * Such a GPU has a link in the state directory, whose target is the number of that process's claim:
 *
 *     /run/libvirt-vgpu/proving/0000:18:00.0 -> 3600000123
 *
 * The link counts while that byte of the claims file is locked. So it ends with the process, or
 * with a writer or a vendor's tool that the process left behind. After that the link means nothing.
 * proving_sweep removes it.
 *
 * Links are made and removed under the ledger's lock. statedir_load reads them with the ledger
 * (ledger.proved), so whoever decides under the lock knows them.
 */

#pragma once

#include "base/error.h"
#include "base/lock-holder.h"

/* Takes a GPU for the holder of a claim. The lock must be held, and the GPU must not be proved by
 * another. -errno with a line in error. */
int proving_begin(const struct host *host, const struct name *gpu, uint64_t claim,
                  struct error *error) CHECKED NONNULL;

/* The GPUs that are being proved, sorted. claims: the claims file; -1: it could not be opened, and
 * every link counts. The caller clears ret. */
void proving_read(const struct host *host, int claims, struct names *ret) NONNULL;

/* Removes links that do not count any more. The lock must be held. */
void proving_sweep(const struct host *host, int claims) NONNULL;

/* Finds a process that has a GPU for itself. All processes are looked at, so the lock must not be
 * held. False: no process has the GPU, or that process may not be looked at. */
bool proving_find(const struct host *host, const struct name *gpu,
                  struct lock_holder *ret) CHECKED NONNULL;
