/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * sriov: enables and disables the virtual functions of a card. Only an administrator does this,
 * with 'vgpuctl sriov'. No hook does.
 *
 * A vendor may have a tool of its own for that (vendor/card-vendor.h). The functions of other cards
 * are enabled by the kernel's sriov_numvfs. These functions are for guests, so the host's own
 * drivers are kept from them (sriov_drivers_autoprobe is 0). Some drivers then give each function a
 * share of the card's memory; sriov_take_back_shares takes it back. The result is read back,
 * because NVIDIA's tool has been seen to succeed without making a function.
 */

#pragma once

#include "actions/snapshot.h"
#include "sriov/sriov-gpu.h"

/*
 * Enables `count` functions; 0 means as many as possible. Returns 1 if it enabled them;
 * card->enabled is their number. Returns 0 if there were functions before; then it did nothing.
 * Returns ERROR_USAGE if the card cannot do this, or -errno; with a line in error.
 */
int sriov_enable(const struct host *host, struct sriov_gpu *card, unsigned count,
                 struct error *error) CHECKED NONNULL;

/*
 * The memory that the driver gave a card's functions when they were enabled is taken back only if
 * each profile of vgpu.conf that the card may have sets its memory. A guest with another profile
 * needs the memory that its function has. Take the snapshot after the functions were enabled.
 * sriov_count_shares counts the functions that have such memory and that nobody has;
 * sriov_take_back_shares takes it back. Both return the number of functions that had memory, or
 * -errno with a line in error about the last function that cannot be read, or keeps some.
 */
int sriov_count_shares(const struct host *host, const struct snapshot *snapshot,
                       const struct sriov_gpu *card, struct error *error) CHECKED NONNULL;
int sriov_take_back_shares(const struct host *host, const struct snapshot *snapshot,
                           const struct sriov_gpu *card, struct error *error) CHECKED NONNULL;

/* Disables all functions. The caller has checked that nobody uses them. Returns 1 if they are gone,
 * 0 if there was none, or -errno with a line in error. */
int
sriov_disable(const struct host *host, struct sriov_gpu *card, struct error *error) CHECKED NONNULL;

/* --- who uses a card or its functions --------------------------------------------------------- */

/*
 * Functions in use must not be removed. A guest uses a function if the guest runs with it, whether
 * or not the guest asked libvirt-vgpu. A guest also uses a function if the ledger has a lease for
 * it that is not just kept for the next start. Any other process uses a function that it has open
 * by VFIO. A process uses a card, and a function, that it has open by a node of the driver:
 * NVIDIA's, as a CUDA program has, or one of DRM. Daemons of NVIDIA's, seat managers and boot
 * splashes are no users.
 *
 * Doubt is a user here. For a guest that takes a whole card, doubt is none
 * (actions/passthrough.h).
 */

/* Looks once at all processes. Returns 0 if nobody uses the card; -EBUSY with a line in error that
 * names the users; or -errno. The check keeps nobody from using the card afterwards. */
int users_check(const struct host *host, const struct snapshot *snapshot,
                const struct sriov_gpu *card, struct error *error) CHECKED NONNULL;

/* Returns 0 if no vGPU is on a card that nobody uses; -EBUSY with a line in error that names one.
 * Another program may have made it for a guest that starts later. */
int users_check_vgpus(const struct snapshot *snapshot, const struct sriov_gpu *card,
                      struct error *error) CHECKED NONNULL;
