/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * drained: the GPUs on which an administrator wants no new vGPUs ('vgpuctl drain').
 *
 * A drained GPU has an empty file of its name in /var/lib/libvirt-vgpu/drained. So it stays drained
 * over a boot, and while the GPU is not there. Without that directory no GPU is drained.
 *
 * Whoever decides under the ledger's lock reads the list there, with the ledger (ledger.drained).
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/* Their names, sorted. The caller clears ret. -errno: they cannot be read, so any GPU may be
 * drained. */
int drained_read(const struct host *host, struct names *ret) CHECKED NONNULL;

/* What drained_read has returned: 0, or -errno with a line in error. */
int drained_check(int rc, struct error *error) NONNULL;

/* Adds a GPU, which may be there already. The file is on disk when it returns. A start may be past
 * its decision (see actions/drain.h). -errno with a line in error. */
int
drained_add(const struct host *host, const struct name *gpu, struct error *error) CHECKED NONNULL;

/* Ends that. 1: the GPU was drained; 0: it was not; -errno with a line in error. The change is on
 * disk when it returns. */
int drained_remove(const struct host *host, const struct name *gpu,
                   struct error *error) CHECKED NONNULL;
