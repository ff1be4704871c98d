/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * survey: this host as a command looks at it: configuration, /sys and ledger, side by side.
 *
 * Nothing is locked and nothing is changed; no right is needed but to read. What it says may have
 * changed by the time somebody reads it.
 */

#pragma once

#include "device/inventory.h"
#include "lease/ledger.h"
#include "policy/policy.h"

enum survey_depth {
    SURVEY_VGPUS, /* what there is; of types, what is made and their names */
    SURVEY_TYPES, /* also every type in full, and how many more of it each parent would make */
};

struct survey {
    struct policy policy;
    struct inventory inventory;
    struct ledger ledger;
};

/* The errors of its three parts. The caller clears ret in every case. */
int survey_take(const struct host *host, enum survey_depth depth, struct survey *ret,
                struct error *error) CHECKED NONNULL;
void survey_clear(struct survey *survey) NONNULL;

/* The lease of a vGPU, or NULL. A virtual function that has another type by now than its lease says
 * is another vGPU, and somebody else's. */
const struct lease *survey_lease(const struct ledger *ledger, const struct inventory *inventory,
                                 const struct inventory_vgpu *vgpu) CHECKED NONNULL;

/* Whether anything is to be seen of what a lease is about. */
bool survey_shows(const struct survey *survey, const struct lease *lease) CHECKED NONNULL;

/* How many vGPUs are on a GPU. */
size_t survey_count(const struct survey *survey, size_t gpu) CHECKED NONNULL;

/* How many more vGPUs of a type the GPU itself could take now, whoever may ask for them: its own
 * limit and all claims are counted, so it is no sum over virtual functions. -errno: it does not
 * tell, as where several functions would each take one and the GPU has no limit that is known.
 * Needs SURVEY_TYPES. */
int survey_room(const struct survey *survey, size_t gpu, size_t type) CHECKED NONNULL;

/* The frame buffer, in MiB, of the vGPUs on a GPU if all have the same and it takes no other; else
 * 0. */
unsigned survey_size(const struct survey *survey, size_t gpu) CHECKED NONNULL;

/* Whether anybody may have new vGPUs of a GPU; and whether 'vgpuctl drain' has seen to it that
 * nobody may. */
bool survey_is_enabled(const struct survey *survey, size_t gpu) CHECKED NONNULL;
bool survey_is_drained(const struct survey *survey, size_t gpu) CHECKED NONNULL;

/* What people call a GPU, from what its types are called ("GRID T4"), else its driver ("i915"); ""
 * if it has none. */
void survey_gpu_name(const struct survey *survey, size_t gpu, char *ret, size_t size) NONNULL;

/* The name of a GPU's type; NULL if it is not known. */
const char *survey_type_name(const struct survey *survey, const struct name *gpu,
                             const struct name *type) NONNULL;

/* Its index; -ENOENT with a line in error that names those there are. */
int survey_find_gpu(const struct survey *survey, const char *word, size_t *ret,
                    struct error *error) CHECKED NONNULL;
