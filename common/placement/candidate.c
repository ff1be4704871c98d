/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/candidate.h"
#include "base/array.h"
#include "placement/constraints.h"
#include "placement/fit.h"

#include <string.h>

static size_t
count_beside(const struct loads *loads, const struct inventory_gpu *gpu)
{
    size_t count = 0;

    for (size_t i = 0; i < loads->place_count; i++)
        count += loads->places[i].at.parent->gpu == gpu;
    return count;
}

static const struct inventory_gpu *
gpu_of(const struct candidate *candidate)
{
    return candidate->place.type->gpu;
}

/* Below 0: a is better. */
static int
compare(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    size_t a_load = a->used * b->total, b_load = b->used * a->total;

    if (a->single != b->single)
        return a->single ? 1 : -1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->far != b->far)
        return a->far ? 1 : -1;
    if (a->beside != b->beside)
        return a->beside < b->beside ? -1 : 1;
    if (a_load != b_load)
        return (a_load < b_load) == a->spread ? -1 : 1;
    if (gpu_of(a) != gpu_of(b))
        return gpu_of(a)->index < gpu_of(b)->index ? -1 : 1;
    return (a->place.type > b->place.type) - (a->place.type < b->place.type);
}

const char *
candidate_why(const struct candidate *better, const struct candidate *worse)
{
    if (better->single != worse->single)
        return "may be the only vGPU of a guest";
    if (better->rank != worse->rank)
        return better->rank < worse->rank ? "its type is less preferred" : "is left to the others";
    if (better->far != worse->far)
        return worse->far ? "is not on the guest's NUMA nodes" : "is left to the others";
    if (better->beside != worse->beside)
        return worse->beside > better->beside ? "gets more of this guest's vGPUs already"
                                              : "is left to the others";
    if (compare(better, worse) > 0)
        return "is left to the others";
    if (better->used * worse->total != worse->used * better->total)
        return better->spread ? "is fuller" : "is emptier";
    return gpu_of(better) == gpu_of(worse) ? "" : "is as good, and comes later";
}

static bool
is_far(const struct loads *loads, const struct demand_terms *terms, const struct inventory_gpu *gpu)
{
    const struct nodeset *nodes = &loads->problem->demands->nodes;

    if (terms->attributes.chosen[ATTRIBUTE_NUMA] == NUMA_IGNORE || nodeset_is_empty(nodes))
        return false;
    return gpu->numa < 0 || !nodeset_has(nodes, (unsigned)gpu->numa);
}

struct candidate *
candidate_list(const struct loads *loads, const struct demand_terms *terms, size_t *count)
{
    const struct inventory_type *type = NULL;
    bool spread = terms->attributes.chosen[ATTRIBUTE_PLACEMENT] == ORDER_SPREAD;
    struct candidate *ret = NULL;

    *count = 0;
    while ((type = inventory_next_type(loads->problem->inventory, type))) {
        struct candidate candidate = {.spread = spread};
        struct fit fit;

        if (!demand_ranks(terms, type, &candidate.rank) ||
            fit_judge(loads, terms, type, &fit) != REASON_NONE)
            continue;
        candidate.place = fit.place;
        candidate.single = type->is_single && loads->problem->demands->count > 1;
        candidate.far = is_far(loads, terms, type->gpu);
        candidate.beside = spread ? count_beside(loads, type->gpu) : 0;
        candidate.used = fit.used;
        candidate.total = fit.total;
        ARRAY_ADD(ret, *count, candidate);
    }
    if (*count > 1)
        qsort(ret, *count, sizeof(*ret), compare);
    return ret;
}
