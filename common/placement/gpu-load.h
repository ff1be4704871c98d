/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu-load: what is on one GPU, step by step. Pure.
 *
 * A load begins as the inventory shows the GPU. Then vGPUs are put on the load: a claim of another
 * process, a choice of a search. vGPUs that would be removed are dropped from it. Each step can be
 * taken back. gpu-room.h says what the GPU can still take beside its load.
 */

#pragma once

#include "device/inventory.h"

enum load_time {
    LOAD_NOW,
    LOAD_EVER, /* another day: a figure that could not be read today is not known then, and nor is
                  whether the GPU takes several sizes */
};

/* A vGPU that is put. */
struct load_use {
    struct place place;
    unsigned framebuffer; /* MiB, if the type does not tell; 0: not known */
};

/* What is on a parent. */
struct load_parent {
    size_t vgpus;    /* that stay, or were put there */
    bool takes_one;  /* it is a virtual function, and no GPU */
    bool is_dropped; /* the vGPU that the inventory shows there was dropped */
    bool is_owned;   /* another domain has it, by the ledger (loads.h) */
};

/* Types are alike if their vGPUs can take each other's places: they have the same frame buffer, and
 * need the same GPU instance. The first type of a group counts for all. */
struct load_group {
    size_t alike;               /* the first type of the group */
    size_t own_puts, own_drops; /* vGPUs of this very type that were put, and dropped */
    size_t kept, puts, drops;   /* vGPUs of the group, as in gpu_load */
    bool is_offered;            /* some parent would make one, by the driver's word */
    bool lacks; /* no parent would, because no instance is free for the type (MIG) */
};

struct load_step {
    bool is_drop;
    struct load_use use;
};

struct gpu_load {
    const struct inventory_gpu *gpu; /* borrowed */
    enum load_time time;
    bool is_withheld;         /* the driver offers nothing, though the inventory shows no vGPU */
    bool is_short;            /* the driver offers fewer than fit beside the vGPUs that are there */
    bool is_best;             /* the order is the best: parents whose vGPU is gone have nothing if
                                 what they had before is more than the vGPU had (gpu_load_held). So
                                 on another day */
    size_t kept, puts, drops; /* kept: vGPUs that the inventory shows and that were not dropped;
                                 puts: vGPUs that were put; drops: vGPUs that were dropped */
    size_t sized_kept, sized_puts; /* of these, those whose frame buffer is known */
    struct load_parent *on;        /* per parent of the GPU */
    struct load_group *types; /* per type of the GPU, and one for types that it does not list */
    uint64_t *used;           /* per limit of the GPU, as if is_best */
    struct load_step *steps;
    size_t step_count;
};

/* Begins a load as the inventory shows the GPU. The caller clears it. */
void
gpu_load_init(struct gpu_load *load, const struct inventory_gpu *gpu, enum load_time time) NONNULL;
void gpu_load_clear(struct gpu_load *load) NONNULL;

/* Puts a vGPU on a parent, whether it fits or not. Drops one that the inventory shows. Both return
 * a mark: gpu_load_rewind takes back that step and all after it. */
size_t gpu_load_put(struct gpu_load *load, const struct load_use *use) NONNULL;
size_t gpu_load_drop(struct gpu_load *load, const struct inventory_vgpu *vgpu) NONNULL;
void gpu_load_rewind(struct gpu_load *load, size_t mark) NONNULL;

/* A limit of the GPU. */
const struct limit *gpu_load_limit(const struct gpu_load *load, size_t limit) NONNULL;

/*
 * What a parent has of a limit by itself, if parents keep something of it. If its vGPU is gone, it
 * has what it had before. If that is more than the vGPU had, the driver gives the parent nothing
 * when there is no room for it just then. So it depends on the order in which vGPUs come and go.
 * What is judged now has to be right in any order: such parents have it again, if all can.
 */
uint64_t gpu_load_held(const struct gpu_load *load, size_t limit,
                       const struct inventory_parent *parent) CHECKED NONNULL;

/* What is left of a limit. */
uint64_t gpu_load_rest(const struct gpu_load *load, size_t limit) CHECKED NONNULL;

/* How much of a limit one more vGPU takes, less what its parent has of the limit already. */
uint64_t gpu_load_need(const struct gpu_load *load, size_t limit,
                       const struct load_use *use) CHECKED NONNULL;

/* What is on a parent of the GPU, and the group of one of its types. */
struct load_parent *
gpu_load_on(const struct gpu_load *load, const struct inventory_parent *parent) CHECKED NONNULL;
struct load_group *
gpu_load_group(const struct gpu_load *load, const struct inventory_type *type) CHECKED NONNULL;
