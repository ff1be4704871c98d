/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * drained: the GPUs that an administrator has set aside: nothing new is made there.
 *
 * Each is an empty file of its name in /var/lib/libvirt-vgpu/drained, which outlives boots, and the
 * GPU's absence. No directory: none is drained. The policy has them as well (policy_is_drained),
 * for all who place something.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/* Their names, sorted; the caller clears ret. -errno with a line in error if that cannot be told:
 * then any GPU may be one of them. */
int drained_read(const struct host *host, struct names *ret, struct error *error) CHECKED NONNULL;

/* Adds one, on disk when it returns; one that is there already is fine. -errno with a line. */
int
drained_add(const struct host *host, const struct name *gpu, struct error *error) CHECKED NONNULL;

/* Takes one away, likewise. 1: it was drained; 0: it was not; -errno with a line. */
int drained_remove(const struct host *host, const struct name *gpu,
                   struct error *error) CHECKED NONNULL;
