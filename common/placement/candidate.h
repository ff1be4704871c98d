/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * candidate: a GPU and a type that could serve a demand now. The best comes first.
 *
 * These rules decide, in this order:
 *
 * - A type that may stand beside the guest's other vGPUs, as far as its vendor's table knows.
 * - A type that the demand prefers.
 * - A GPU on the guest's NUMA nodes.
 * - To spread: the GPU with the fewest vGPUs of this domain, then the emptiest one.
 * - To pack: the fullest GPU, so that empty ones stay empty and can take any type.
 * - The GPU's place in the inventory, so that the same question has the same answer.
 *
 * Pure.
 */

#pragma once

#include "placement/fit.h"

struct candidate {
    struct place place;
    /* Candidates are sorted by these six, in this order; lower is better. */
    bool single; /* the type may be the only vGPU of a guest, and the guest is to have several */
    unsigned rank;
    bool far;
    size_t beside; /* own vGPUs on that GPU, to spread */
    size_t used, total;
    bool spread;
};

/* A type of a GPU that some terms allow. A search judges it again and again. So it keeps the rules,
 * which do not change, and the last judgment of the room. */
struct candidate_type {
    const struct inventory_type *type;
    unsigned rank;
    bool single, far;
    enum reason *rules; /* per parent of the GPU: constraints_judge_fixed */
    bool is_judged;
    uint64_t state; /* of the GPU's load at the judgment (loads.h) */
    enum reason reason;
    struct fit fit;
};

/* All types that some terms allow, of all GPUs. */
struct candidate_types {
    struct candidate_type *items;
    size_t count;
    size_t most; /* on one GPU */
    bool spread; /* the terms ask to spread */
};
void candidate_types_find(const struct loads *loads, const struct demand_terms *terms,
                          struct candidate_types *ret) NONNULL;
void candidate_types_clear(struct candidate_types *types) NONNULL;

/* All candidates among these types, best first, in an array that the caller frees; NULL: none. The
 * loads are those of before, or what a search has made of them. */
struct candidate *candidate_list_of(const struct loads *loads, struct candidate_types *types,
                                    size_t *count) CHECKED NONNULL;

/* All candidates for the terms of a demand, as candidate_list_of. */
struct candidate *candidate_list(const struct loads *loads, const struct demand_terms *terms,
                                 size_t *count) CHECKED NONNULL;

/* Why `worse` was not chosen, as words that follow the name of its GPU: "is emptier", if GPUs are
 * to be packed. */
const char *
candidate_why(const struct candidate *better, const struct candidate *worse) CHECKED NONNULL;
