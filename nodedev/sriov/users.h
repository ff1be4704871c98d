/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * users: finds who uses a card or its virtual functions. Functions in use must not be removed.
 *
 * A guest uses a function if the guest runs with it, whether or not the guest asked libvirt-vgpu. A
 * guest also uses a function if the ledger has a lease for it that is not just kept for the next
 * start. Any other process uses a function that it has open by VFIO. A process uses a card, and a
 * function, that it has open by a node of the driver: NVIDIA's, as a CUDA program has, or one of
 * DRM. Daemons of NVIDIA's, seat managers and boot splashes are no users.
 *
 * Doubt is a user here. For a guest that takes a whole card, doubt is none
 * (actions/passthrough.h).
 */

#pragma once

#include "actions/snapshot.h"
#include "sriov/sriov-gpu.h"

/* Looks once at all processes. Returns 0 if nobody uses the card; -EBUSY with a line in error that
 * names the users; or -errno. The check keeps nobody from using the card afterwards. */
int users_check(const struct host *host, const struct snapshot *snapshot,
                const struct sriov_gpu *card, struct error *error) CHECKED NONNULL;

/* Returns 0 if no vGPU is on a card that nobody uses; -EBUSY with a line in error that names one.
 * Another program may have made it for a guest that starts later. */
int users_check_vgpus(const struct snapshot *snapshot, const struct sriov_gpu *card,
                      struct error *error) CHECKED NONNULL;
