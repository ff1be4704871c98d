/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * drained: the GPUs on which an administrator wants no new vGPUs ('vgpuctl drain').
 *
 * Each is an empty file of the GPU's name in /var/lib/libvirt-vgpu/drained, so it survives a boot,
 * and a time without the GPU. No such directory: none is drained. The policy holds the list too
 * (policy_is_drained), for whoever places vGPUs.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/* Their names, sorted; the caller clears ret. -errno with a line in error if they cannot be read:
 * then any GPU may be drained. */
int drained_read(const struct host *host, struct names *ret, struct error *error) CHECKED NONNULL;

/* Drains a GPU, which may be drained already. The file is on disk when it returns. -errno with a
 * line in error. */
int
drained_add(const struct host *host, const struct name *gpu, struct error *error) CHECKED NONNULL;

/* Ends that, likewise. 1: it was drained; 0: it was not; -errno with a line in error. */
int drained_remove(const struct host *host, const struct name *gpu,
                   struct error *error) CHECKED NONNULL;
