/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * sriov: enables and disables the virtual functions of a card. Only an administrator does that, by
 * 'vgpuctl sriov'; no hook ever does.
 *
 * NVIDIA's functions are enabled by NVIDIA's own tool, the only way that they support. Those of
 * others are enabled by the kernel's sriov_numvfs; as they are for guests, the host's own drivers
 * are kept off them (sriov_drivers_autoprobe is 0). Some drivers then give each function a share of
 * the card's memory, which sriov_settle takes back. What came of it is read back: that tool has
 * been seen to end well although there was no function.
 */

#pragma once

#include "actions/snapshot.h"
#include "view/sriov-gpu.h"

/*
 * Enables so many functions; 0: as many as there can be. 1: they are there now, and card->enabled
 * says how many; 0: there were some before, and nothing was done; ERROR_USAGE if the card does not
 * do that; else -errno; with a line in error.
 */
int sriov_enable(const struct host *host, struct sriov_gpu *card, unsigned count,
                 struct error *error) CHECKED NONNULL;

/*
 * Takes back the memory that the driver gave a card's functions when they were enabled. It does so
 * if each profile of vgpu.conf that the card may have says how much memory it needs: a guest with
 * another profile needs what its function has. The snapshot is to be taken after the functions were
 * enabled. How many functions had memory, or -errno with a line in error about the last that keeps
 * some.
 */
int sriov_settle(const struct host *host, const struct snapshot *snapshot,
                 const struct sriov_gpu *card, struct error *error) CHECKED NONNULL;

/* Disables all. The caller has seen that nobody uses them. 1: they are gone; 0: there was none;
 * -errno with a line in error. */
int
sriov_disable(const struct host *host, struct sriov_gpu *card, struct error *error) CHECKED NONNULL;
