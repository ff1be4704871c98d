/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu-view: what commands show of one GPU in a snapshot (actions/snapshot.h) of this host.
 */

#pragma once

#include "actions/snapshot.h"

/* Returns the frame buffer, in MiB, of each vGPU on a GPU. Returns 0 unless all vGPUs have the same
 * size and the GPU takes no other size. */
unsigned gpu_view_size(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Whether new vGPUs can be made on a GPU; and whether 'vgpuctl drain' forbids them. */
bool gpu_view_is_enabled(const struct snapshot *snapshot,
                         const struct inventory_gpu *gpu) CHECKED NONNULL;
bool gpu_view_is_drained(const struct snapshot *snapshot,
                         const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Returns a GPU's name for people: the common part of its types' names ("GRID T4"), else its driver
 * ("i915"), else "". */
void gpu_view_name(const struct inventory_gpu *gpu, char *ret, size_t size) NONNULL;

/* Returns the name of a GPU's type, or NULL if the name is not known. */
const char *gpu_view_type_name(const struct snapshot *snapshot, const struct name *gpu,
                               const struct name *type) NONNULL;

/* Finds the GPU that a word means (cli/pick.h). Returns -ENOENT with a line in error
 * that names the GPUs there are, or says that the GPU's virtual functions are off; or -ENOTUNIQ.
 * host: the snapshot's; NULL if it is another host's. */
int gpu_view_find(const struct snapshot *snapshot, const struct host *host, const char *word,
                  const struct inventory_gpu **ret, struct error *error) CHECKED
    __attribute__((nonnull(1, 3, 4, 5)));
