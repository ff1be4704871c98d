/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu-view: what commands show of one GPU in a snapshot (actions/snapshot.h) of this host.
 */

#pragma once

#include "actions/snapshot.h"

/* How many vGPUs are on a GPU. */
size_t gpu_view_count(const struct snapshot *snapshot, size_t gpu) CHECKED NONNULL;

/* The frame buffer, in MiB, of the vGPUs on a GPU if all have the same and it takes no other; else
 * 0. */
unsigned gpu_view_size(const struct snapshot *snapshot, size_t gpu) CHECKED NONNULL;

/* Whether anybody may have new vGPUs of a GPU; whether 'vgpuctl drain' has seen to it that nobody
 * may; and whether 'vgpuctl prove' has the GPU for itself just now. */
bool gpu_view_is_enabled(const struct snapshot *snapshot, size_t gpu) CHECKED NONNULL;
bool gpu_view_is_drained(const struct snapshot *snapshot, size_t gpu) CHECKED NONNULL;
bool gpu_view_is_proved(const struct snapshot *snapshot, size_t gpu) CHECKED NONNULL;

/* What people call a GPU, from what its types are called ("GRID T4"), else its driver ("i915"); ""
 * if it has none. */
void gpu_view_name(const struct snapshot *snapshot, size_t gpu, char *ret, size_t size) NONNULL;

/* The name of a GPU's type; NULL if it is not known. */
const char *gpu_view_type_name(const struct snapshot *snapshot, const struct name *gpu,
                               const struct name *type) NONNULL;

/* The index of the one that a word means (cli/pick.h); -ENOENT with a line in error that names
 * those there are, or -ENOTUNIQ. */
int gpu_view_find(const struct snapshot *snapshot, const char *word, size_t *ret,
                  struct error *error) CHECKED NONNULL;
