/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/fit.h"
#include "placement/constraints.h"

#include <string.h>

/* Claims on a GPU that take capacity, and whether one is of another size. */
static size_t
count_claimed(const struct capacity *capacity, size_t gpu, const struct inventory_type *type,
              bool *other_size)
{
    size_t claimed = 0;

    *other_size = false;
    for (size_t i = 0; i < capacity->claim_count; i++) {
        const struct capacity_claim *claim = &capacity->claims[i];

        if (claim->gpu != gpu || claim->settled)
            continue;
        claimed++;
        if (inventory_is_kept_off(&capacity->problem->inventory->gpus[gpu], type,
                                  claim->framebuffer))
            *other_size = true;
    }
    return claimed;
}

/* A virtual function that one of the demands names is left to it, while there is another. What the
 * XML names is no matter of choice. */
static bool
is_named(const struct capacity *capacity, size_t parent)
{
    const struct placement_problem *problem = capacity->problem;
    const char *name = problem->inventory->parents[parent].name.text;

    for (size_t i = 0; i < problem->demands->count; i++) {
        const struct request_device *device = problem->demands->items[i].device;

        if (device && device->parent && !strcmp(device->parent, name))
            return true;
    }
    return false;
}

/*
 * What a GPU that has no functions still offers of a type, once the claims on it are made: each
 * takes that share of it which the driver's own figure says, one of as many as there is room for of
 * its type. Exact for pools that divide evenly, and for types of one size.
 */
static size_t
left_of(const struct capacity *capacity, const struct inventory_parent *parent, size_t type)
{
    const struct inventory_gpu *card = &capacity->problem->inventory->gpus[parent->gpu];
    int available = parent->available[type];
    double taken = 0;

    for (size_t i = 0; i < capacity->claim_count; i++) {
        const struct capacity_claim *claim = &capacity->claims[i];
        int whole;

        if (claim->gpu != parent->gpu || claim->settled)
            continue;
        whole = claim->type ? parent->available[claim->type - card->types] : 0;
        taken += 1.0 / (whole > 0 ? whole : available);
    }
    return taken < 1 ? (size_t)(available * (1 - taken) + 1e-6) : 0;
}

/* What the parents of a GPU offer, added up: places left for the type, before the GPU's own limit.
 * The worst of them that keeps one from being used is the reason. */
static enum reason
count_places(const struct capacity *capacity, const struct demand *demand, size_t gpu, size_t type,
             size_t *left, size_t *parent)
{
    const struct inventory *inventory = capacity->problem->inventory;
    const struct capacity_gpu *known = &capacity->gpus[gpu];
    enum reason reason = REASON_NO_TYPE;
    unsigned memory = capacity_free(capacity, gpu), rest = memory;
    bool named = false;

    *left = 0;
    for (size_t i = 0; i < known->parent_count; i++) {
        size_t index = capacity->parents[known->first_parent + i];
        const struct inventory_parent *self = &inventory->parents[index];
        int available = self->available[type];
        enum reason here = constraints_judge(capacity, demand, gpu, index, type);
        unsigned needed = capacity_needs(capacity, index, type);
        size_t free = 0;

        if (!inventory_may_have(self, &inventory->gpus[gpu].types[type]))
            continue;
        if (here == REASON_NONE && available < 0)
            here = REASON_UNREADABLE;
        if (available > 0)
            free = capacity_is_function(capacity, index) ? capacity_has_place(capacity, index)
                                                         : left_of(capacity, self, type);
        if (needed > memory)
            free = 0;
        if (here == REASON_NONE && free == 0)
            here = REASON_FULL;
        if (here == REASON_NONE && capacity_is_rejected(capacity, index, type))
            here = REASON_REJECTED;
        if (here > reason || (here == REASON_NONE && named && !is_named(capacity, index))) {
            reason = here;
            *parent = index;
            named = is_named(capacity, index);
        }
        /* What another parent has is the GPU's room as well: it may be reserved. */
        if (here != REASON_NONE && here != REASON_OTHER_PARENT && here != REASON_OTHER_VF)
            continue;
        /* Each function may have the memory that there is, but not all of them together. */
        if (free == 0 || needed > rest)
            continue;
        *left += free;
        rest -= needed;
    }
    return reason;
}

/* vGPUs of a type on a GPU, and claims. */
static size_t
count_of_type(const struct capacity *capacity, size_t gpu, const struct inventory_type *kind)
{
    const struct inventory *inventory = capacity->problem->inventory;
    size_t count = 0;

    for (size_t i = 0; i < inventory->vgpu_count; i++)
        count += inventory->parents[inventory->vgpus[i].parent].gpu == gpu &&
                 name_equal(&inventory->vgpus[i].type, &kind->id);
    for (size_t i = 0; i < capacity->claim_count; i++)
        count += capacity->claims[i].gpu == gpu && !capacity->claims[i].settled &&
                 capacity->claims[i].type == kind;
    return count;
}

/* Many functions may each have room for one, and the GPU not for all of them; and what the
 * administrator says no driver counts. What the driver offers beside what is made counts for more
 * than what sizes tell. */
static size_t
limit_left(const struct capacity *capacity, size_t gpu, const struct inventory_type *kind,
           size_t claimed, size_t left)
{
    const struct inventory_gpu *card = &capacity->problem->inventory->gpus[gpu];
    unsigned limit = kind->max ? kind->max : kind->most;
    size_t used = capacity->gpus[gpu].made + claimed, most;

    if (kind->is_limited && kind->framebuffer == 0)
        used = count_of_type(capacity, gpu, kind);
    else if (capacity->gpus[gpu].parent_count < 2 && !kind->is_limited)
        return left;
    if (!inventory_max_counts_all(card, kind) || limit == 0)
        return left;
    most = limit > used ? limit - used : 0;
    if (most == 0 && !kind->max && claimed == 0)
        most = 1;
    return left < most ? left : most;
}

enum reason
fit_judge(const struct capacity *capacity, const struct demand *demand, size_t gpu, size_t type,
          struct fit *ret)
{
    const struct inventory_gpu *card = &capacity->problem->inventory->gpus[gpu];
    const struct inventory_type *kind = &card->types[type];
    const struct policy_gpu *policy = policy_find_gpu(capacity->problem->policy, &card->name);
    bool other_size;
    size_t claimed = count_claimed(capacity, gpu, kind, &other_size), left;
    size_t used = capacity->gpus[gpu].made + claimed, reserve = policy ? policy->reserve : 0;
    enum reason reason = count_places(capacity, demand, gpu, type, &left, &ret->parent);

    left = limit_left(capacity, gpu, kind, claimed, left);
    ret->used = used;
    ret->total = used + left;
    ret->room = left > reserve ? left - reserve : 0;
    if (reason != REASON_NONE)
        return reason;
    if (left == 0)
        return REASON_FULL;
    if (other_size)
        return REASON_OTHER_SIZE;
    return left <= reserve ? REASON_RESERVED : REASON_NONE;
}
