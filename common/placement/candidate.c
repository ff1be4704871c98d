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

void
candidate_types_find(const struct loads *loads, const struct demand_terms *terms,
                     struct candidate_types *ret)
{
    const struct inventory_type *type = NULL;
    size_t here = 0;

    *ret = (struct candidate_types){
        .spread = terms->attributes.chosen[ATTRIBUTE_PLACEMENT] == ORDER_SPREAD,
    };
    while ((type = inventory_next_type(loads->problem->inventory, type))) {
        struct candidate_type item = {.type = type};

        if (!demand_ranks(terms, type, &item.rank))
            continue;
        item.single = type->is_single && loads->problem->demands->count > 1;
        item.far = is_far(loads, terms, type->gpu);
        item.rules = memory_zeroed(type->gpu->parent_count, sizeof(*item.rules));
        for (size_t i = 0; i < type->gpu->parent_count; i++) {
            const struct place place = {type->gpu->parents[i], type};

            item.rules[i] = constraints_judge_fixed(loads, terms, &place);
        }
        here = ret->count && ret->items[ret->count - 1].type->gpu == type->gpu ? here + 1 : 1;
        ret->most = here > ret->most ? here : ret->most;
        ARRAY_ADD(ret->items, ret->count, item);
    }
}

void
candidate_types_clear(struct candidate_types *types)
{
    for (size_t i = 0; i < types->count; i++)
        free(types->items[i].rules);
    free(types->items);
    *types = (struct candidate_types){0};
}

/* Whether the GPU of the type takes one more. */
static bool
fits(const struct loads *loads, struct candidate_type *item)
{
    const uint64_t state = loads->states[item->type->gpu->index];
    const struct inventory_type *other;
    size_t used;

    if (constraints_unlike(loads, item->type, &other) ||
        constraints_exceeded_quota(loads, item->type, &used))
        return false;
    if (!item->is_judged || item->state != state)
        item->reason = fit_judge_by(loads, item->rules, item->type, &item->fit);
    item->is_judged = true;
    item->state = state;
    return item->reason == REASON_NONE;
}

struct candidate *
candidate_list_of(const struct loads *loads, struct candidate_types *types, size_t *count)
{
    struct candidate *ret = NULL;

    *count = 0;
    for (size_t i = 0; i < types->count; i++) {
        struct candidate_type *item = &types->items[i];
        struct candidate candidate = {
            .single = item->single,
            .rank = item->rank,
            .far = item->far,
            .spread = types->spread,
        };

        if (!fits(loads, item))
            continue;
        candidate.place = item->fit.place;
        candidate.beside = types->spread ? count_beside(loads, item->type->gpu) : 0;
        candidate.used = item->fit.used;
        candidate.total = item->fit.total;
        ARRAY_ADD(ret, *count, candidate);
    }
    if (*count > 1)
        qsort(ret, *count, sizeof(*ret), compare);
    return ret;
}

struct candidate *
candidate_list(const struct loads *loads, const struct demand_terms *terms, size_t *count)
{
    AUTO(candidate_types_clear) struct candidate_types types;

    candidate_types_find(loads, terms, &types);
    return candidate_list_of(loads, &types, count);
}
