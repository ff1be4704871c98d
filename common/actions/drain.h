/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * drain: nobody gets a new vGPU on a GPU any more.
 *
 * Whoever decides reads the list of drained GPUs under the lock, with the ledger (ledger.drained).
 * So after the GPU is on the list, one wait for the lock suffices. By then each decision that did
 * not know of the drain is in the ledger. Rule 7.12 of common/DESIGN.md.
 */

#pragma once

#include "lease/drained.h"

/* The use case of `vgpuctl drain` and `vgpuctl evacuate`. When it returns 0, the ledger has each
 * vGPU that the GPU still gets. -errno with a line in error, which says whether the GPU is drained
 * all the same. */
int drain_gpu(const struct host *host, const struct name *gpu, const struct drained_note *note,
              struct error *error) CHECKED NONNULL;
