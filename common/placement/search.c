/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/search.h"
#include "base/array.h"
#include "placement/alternatives.h"
#include "placement/candidate.h"
#include "placement/constraints.h"
#include "placement/reason.h"

#include <string.h>

/* A search runs under the lock, so it is bounded by the candidates tried and the parents looked at.
 * The bound is a tenth of a second on most hosts, and two tenths with forty quotas (measured). */
#define MOST_EFFORT     2000000 /* parents looked at; a candidate tried counts as so many: */
#define EFFORT_OF_A_TRY 20

void
search_clear(struct search *search)
{
    for (size_t i = 0; search->types && i < search->problem->demands->count; i++)
        candidate_types_clear(&search->types[i]);
    free(search->types);
    free(search->alike);
    loads_clear(&search->loads);
    free(search->order);
    free(search->bans);
}

/* --- what is there already -------------------------------------------------------------------- */

static bool
is_others(const struct placement_problem *problem, const struct lease *lease)
{
    return lease && !name_equal(&lease->domain, &problem->request->domain);
}

/* What a guest can be given instead of a source that is taken. */
static const char *
other_source(const struct demand *demand)
{
    return demand_vf(demand) ? "another virtual function" : "another UUID";
}

/* A vGPU that is there already under the demand's source. 1: it is the demand's; 0: there is none;
 * else it is in the way. */
static int
settle_existing(struct search *search, const struct demand *demand, struct placement_choice *choice,
                struct error *error)
{
    const struct placement_problem *problem = search->problem;
    const struct name *device = &demand->hostdev->source;
    const struct inventory_vgpu *vgpu = placement_vgpu(problem, device);
    const struct lease *lease = placement_lease(problem, device);
    const struct inventory_gpu *gpu;
    const struct inventory_type *type;
    enum reason reason;
    unsigned rank;

    if (is_others(problem, lease) && lease_state_is_going(lease->state))
        return error_refuse(
            error, ERROR_TAKEN,
            "%s: the vGPU %s is still being given back by the guest %s (%s); try again",
            demand->label, device->text, lease->domain_name, lease_state_name(lease->state));
    if (is_others(problem, lease) && lease->state != LEASE_KEPT)
        return error_refuse(error, ERROR_TAKEN,
                            "%s: the vGPU %s belongs to the guest %s (%s); give this guest %s",
                            demand->label, device->text, lease->domain_name,
                            lease_state_name(lease->state), other_source(demand));
    if (!vgpu)
        return 0;
    gpu = vgpu->parent->gpu;
    type = inventory_type_of(vgpu);
    if (!type)
        return error_refuse(
            error, ERROR_TAKEN,
            "%s: a device %s is there already, and being made or removed by somebody "
            "else",
            demand->label, device->text);
    if (!demand_ranks(&demand->terms, type, &rank) && !inventory_type_has_name(type))
        return error_refuse(error, ERROR_TAKEN,
                            "%s: a vGPU %s is there already, of type %s on %s, of which the driver "
                            "does not tell the name now; if that is %s, ask for %s by its id",
                            demand->label, device->text, type->id.text, gpu->name.text,
                            demand->wanted, type->id.text);
    if (!demand_ranks(&demand->terms, type, &rank))
        return error_refuse(
            error, ERROR_TAKEN,
            "%s: a vGPU %s is there already, of type %s (%s) on %s and not %s; remove "
            "it, or give this guest %s",
            demand->label, device->text, type->id.text, type->name, gpu->name.text, demand->wanted,
            other_source(demand));
    *choice = (struct placement_choice){
        .way = lease && lease->origin == LEASE_MADE ? PLACEMENT_REUSE : PLACEMENT_FOREIGN,
        .place = {vgpu->parent, type},
    };
    reason = constraints_judge(&search->loads, &demand->terms, &choice->place);
    if (reason != REASON_NONE)
        return error_refuse(error, ERROR_TAKEN, "%s: the vGPU %s is there already, on %s, which %s",
                            demand->label, device->text, gpu->name.text, reason_of_rule(reason));
    loads_settle(&search->loads, &choice->place);
    return 1;
}

/* Finds the types for a demand of the order, unless one before it has the same terms. */
static void
find_types(struct search *search, size_t index)
{
    const struct demand *items = search->problem->demands->items;
    size_t demand = search->order[index], first = 0;

    while (!demand_terms_equal(&items[search->order[first]].terms, &items[demand].terms))
        first++;
    search->alike[demand] = search->order[first];
    if (first == index)
        candidate_types_find(&search->loads, &items[demand].terms, &search->types[demand]);
}

int
search_begin(struct search *search, const struct placement_problem *problem,
             struct placement_choice *choices, struct error *error)
{
    *search = (struct search){.problem = problem, .choices = choices};
    search->order = memory_zeroed(problem->demands->count, sizeof(*search->order));
    search->alike = memory_zeroed(problem->demands->count, sizeof(*search->alike));
    search->types = memory_zeroed(problem->demands->count, sizeof(*search->types));
    loads_init(&search->loads, problem);
    for (; search->settled < problem->demands->count; search->settled++) {
        size_t i = search->settled;
        const struct demand *demand = &problem->demands->items[i];
        bool is_free = !demand->hostdev || demand->freedom != DEMAND_AS_IT_SAYS;
        int rc = is_free ? 0 : settle_existing(search, demand, &choices[i], error);

        if (rc < 0) {
            alternatives_add(&search->loads, demand, error);
            return rc;
        }
        if (rc == 0)
            search->order[search->count++] = i;
    }
    for (size_t i = 0; i < search->count; i++)
        find_types(search, i);
    return 0;
}

struct candidate *
search_list(struct search *search, size_t demand, size_t *count)
{
    return candidate_list_of(&search->loads, &search->types[search->alike[demand]], count);
}

/* --- what is to be made ----------------------------------------------------------------------- */

static bool
is_banned(const struct search *search, const struct search_ban *now)
{
    return ARRAY_HAS(search->bans, search->ban_count, ban,
                     ban->alike == now->alike && ban->type == now->type);
}

static bool
is_too_much(struct search *search, size_t more)
{
    size_t *effort = search->problem->effort ? search->problem->effort : &search->effort;

    *effort += more;
    return *effort > MOST_EFFORT;
}

/* The effort of looking at all parents for a demand: once for each type of a GPU that will do. A
 * quota costs a quarter more (measured). */
static size_t
effort_of(const struct search *search, size_t demand)
{
    const size_t most = search->types[search->alike[demand]].most;

    return search->problem->inventory->parent_count * (most ? most : 1) *
           (4 + search->problem->policy->quota_count) / 4;
}

/*
 * Depth first. If a candidate has failed for a demand, it is not tried for a later one that is
 * alike, because the two could change places. That keeps a request for many equal vGPUs from trying
 * all orders. 1: placed; 0: there is no way; -E2BIG: too much effort.
 */
static int
search_on(struct search *search, size_t depth)
{
    AUTO_FREE struct candidate *candidates = NULL;
    size_t demand, count, bans = search->ban_count;
    int rc = 0;

    if (depth == search->count)
        return 1;
    demand = search->order[depth];
    if (is_too_much(search, effort_of(search, demand)))
        return -E2BIG;
    candidates = search_list(search, demand, &count);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct search_ban ban = {search->alike[demand], candidates[i].place.type};

        if (is_banned(search, &ban))
            continue;
        if (is_too_much(search, EFFORT_OF_A_TRY))
            return -E2BIG;
        loads_take(&search->loads, &candidates[i].place);
        rc = search_on(search, depth + 1);
        loads_return(&search->loads);
        if (rc > 0)
            search->choices[demand] =
                (struct placement_choice){PLACEMENT_CREATE, candidates[i].place};
        else if (rc == 0)
            ARRAY_ADD(search->bans, search->ban_count, ban);
    }
    search->ban_count = bans;
    return rc;
}

void
search_sort_in(struct search *search, size_t *counts, size_t from)
{
    size_t moving = search->order[from], mine = counts[from], k = from;

    for (; k > 0 && counts[k - 1] > mine; k--) {
        counts[k] = counts[k - 1];
        search->order[k] = search->order[k - 1];
    }
    counts[k] = mine;
    search->order[k] = moving;
}

void
search_sort(struct search *search)
{
    AUTO_FREE size_t *counts = memory_zeroed(search->count, sizeof(*counts));

    for (size_t i = 0; search->count > 1 && i < search->count; i++) {
        free(search_list(search, search->order[i], &counts[i]));
        search_sort_in(search, counts, i);
    }
}

int
search_run(struct search *search)
{
    return search_on(search, 0);
}
