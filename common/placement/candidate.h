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

#include "placement/loads.h"

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

/* All candidates for the terms of a demand, best first, in an array that the caller frees; NULL:
 * none. */
struct candidate *candidate_list(const struct loads *loads, const struct demand_terms *terms,
                                 size_t *count) CHECKED NONNULL;

/* Why `worse` was not chosen, as words that follow the name of its GPU: "is emptier", if GPUs are
 * to be packed. */
const char *
candidate_why(const struct candidate *better, const struct candidate *worse) CHECKED NONNULL;
