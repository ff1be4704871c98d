/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/placement.h"
#include "base/array.h"
#include "placement/alternatives.h"
#include "placement/candidate.h"
#include "placement/constraints.h"
#include "placement/eviction.h"
#include "placement/reason.h"
#include "placement/refusal.h"
#include "placement/victim.h"

#include <string.h>

/* All of it happens under the lock, so the search is bounded: by candidates tried, and by parents
 * looked at, about two seconds' worth on a large host. */
#define MOST_EFFORT     2000000 /* parents looked at, and */
#define EFFORT_OF_A_TRY 20

struct ban {
    size_t demand; /* the first of those that are alike */
    size_t gpu, type;
};

struct search {
    const struct placement_problem *problem;
    struct capacity capacity;
    size_t *order; /* the demands that need a place, most constrained first */
    size_t count;
    struct placement_choice *choices;
    struct ban *bans;
    size_t ban_count;
    size_t effort;  /* unless the problem counts it */
    size_t settled; /* demands that were looked at for what is there already */
};

static void
search_clear(struct search *search)
{
    capacity_clear(&search->capacity);
    free(search->order);
    free(search->bans);
}

/* --- what is there already -------------------------------------------------------------------- */

static bool
is_others(const struct placement_problem *problem, const struct lease *lease)
{
    return lease && !name_equal(&lease->domain, &problem->request->domain);
}

/* What a guest can be given instead of what is in its way. */
static const char *
other_source(const struct demand *demand)
{
    return demand_vf(demand) ? "another virtual function" : "another UUID";
}

/* A vGPU that is there already under the demand's source: it is the one (1), or it is in the way.
 */
static int
settle_existing(struct search *search, const struct demand *demand, struct placement_choice *choice,
                struct error *error)
{
    const struct placement_problem *problem = search->problem;
    const struct inventory *inventory = problem->inventory;
    const struct name *device = &demand->hostdev->source;
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, device);
    const struct lease *lease = ledger_find(problem->ledger, device);
    const struct inventory_gpu *gpu;
    const struct inventory_type *type;
    enum reason reason;
    unsigned rank;
    size_t index;

    if (is_others(problem, lease) &&
        (lease->state == LEASE_LEAVING || lease->state == LEASE_REMOVING))
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
    index = inventory->parents[vgpu->parent].gpu;
    gpu = &inventory->gpus[index];
    type = inventory_find_type(gpu, &vgpu->type);
    if (!type)
        return error_refuse(
            error, ERROR_TAKEN,
            "%s: a device %s is there already, and being made or removed by somebody "
            "else",
            demand->label, device->text);
    if (!demand_ranks(demand, type, &rank) && !inventory_type_has_name(type))
        return error_refuse(error, ERROR_TAKEN,
                            "%s: a vGPU %s is there already, of type %s on %s, of which the driver "
                            "does not tell the name now; if that is %s, ask for %s by its id",
                            demand->label, device->text, type->id.text, gpu->name.text,
                            demand->wanted, type->id.text);
    if (!demand_ranks(demand, type, &rank))
        return error_refuse(
            error, ERROR_TAKEN,
            "%s: a vGPU %s is there already, of type %s (%s) on %s and not %s; remove "
            "it, or give this guest %s",
            demand->label, device->text, type->id.text, type->name, gpu->name.text, demand->wanted,
            other_source(demand));
    *choice = (struct placement_choice){
        .way = lease && lease->origin == LEASE_MADE ? PLACEMENT_REUSE : PLACEMENT_FOREIGN,
        .parent = vgpu->parent,
        .type = (size_t)(type - gpu->types),
    };
    reason = constraints_judge(&search->capacity, demand, index, vgpu->parent, choice->type);
    if (reason != REASON_NONE)
        return error_refuse(error, ERROR_TAKEN, "%s: the vGPU %s is there already, on %s, which %s",
                            demand->label, device->text, gpu->name.text, reason_of_rule(reason));
    capacity_settle(&search->capacity, choice->parent, choice->type);
    return 1;
}

/* Settles what is there, and collects the demands that need a place. */
static int
begin(struct search *search, const struct placement_problem *problem,
      struct placement_choice *choices, struct error *error)
{
    *search = (struct search){.problem = problem, .choices = choices};
    search->order = memory_zeroed(problem->demands->count, sizeof(*search->order));
    capacity_init(&search->capacity, problem);
    for (; search->settled < problem->demands->count; search->settled++) {
        size_t i = search->settled;
        const struct demand *demand = &problem->demands->items[i];
        bool is_free = !demand->hostdev || demand->freedom != DEMAND_AS_IT_SAYS;
        int rc = is_free ? 0 : settle_existing(search, demand, &choices[i], error);

        if (rc < 0) {
            alternatives_add(&search->capacity, demand, error);
            return rc;
        }
        if (rc == 0)
            search->order[search->count++] = i;
    }
    return 0;
}

/* --- what is to be made ----------------------------------------------------------------------- */

static bool
same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Demands that may change places in any assignment. */
static bool
is_alike(const struct demand *a, const struct demand *b)
{
    const struct request_device *left = a->device, *right = b->device;

    return a->class == b->class && a->order == b->order && a->numa == b->numa &&
           demand_may_be(a, REQUEST_MDEV) == demand_may_be(b, REQUEST_MDEV) &&
           demand_may_be(a, REQUEST_PCI) == demand_may_be(b, REQUEST_PCI) && !demand_vf(a) &&
           !demand_vf(b) && same_text(a->wanted, b->wanted) &&
           same_text(left ? left->parent : NULL, right ? right->parent : NULL) &&
           same_text(left ? left->traits : NULL, right ? right->traits : NULL);
}

static bool
is_banned(const struct search *search, const struct demand *demand,
          const struct candidate *candidate)
{
    for (size_t i = 0; i < search->ban_count; i++) {
        const struct ban *ban = &search->bans[i];

        if (ban->gpu == candidate->gpu && ban->type == candidate->type &&
            is_alike(demand, &search->problem->demands->items[ban->demand]))
            return true;
    }
    return false;
}

static bool
is_too_much(struct search *search, size_t more)
{
    size_t *effort = search->problem->effort ? search->problem->effort : &search->effort;

    *effort += more;
    return *effort > MOST_EFFORT;
}

/* What it takes to look at all parents for a demand: once for each type of a GPU that will do. A
 * quota costs a quarter more (measured). */
static size_t
effort_of(const struct placement_problem *problem, const struct demand *demand)
{
    const struct inventory *inventory = problem->inventory;
    size_t most = 1;

    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        size_t types = demand_count_types(demand, &inventory->gpus[gpu]);

        most = types > most ? types : most;
    }
    return inventory->parent_count * most * (4 + problem->policy->quota_count) / 4;
}

/*
 * Depth first. What has failed for a demand is not tried for one that is alike and comes after it:
 * the two could change places. That keeps a request for many equal vGPUs from trying all orders.
 * 1: placed; 0: there is no way; -E2BIG.
 */
static int
search_on(struct search *search, size_t depth)
{
    const struct demand *demand;
    AUTO_FREE struct candidate *candidates = NULL;
    size_t count, bans = search->ban_count;
    int rc = 0;

    if (depth == search->count)
        return 1;
    demand = &search->problem->demands->items[search->order[depth]];
    if (is_too_much(search, effort_of(search->problem, demand)))
        return -E2BIG;
    candidate_list(&search->capacity, demand, &candidates, &count);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct ban ban = {search->order[depth], candidates[i].gpu, candidates[i].type};

        if (is_banned(search, demand, &candidates[i]))
            continue;
        if (is_too_much(search, EFFORT_OF_A_TRY))
            return -E2BIG;
        capacity_take(&search->capacity, candidates[i].parent, candidates[i].type);
        rc = search_on(search, depth + 1);
        capacity_return(&search->capacity);
        if (rc > 0)
            search->choices[search->order[depth]] = (struct placement_choice){
                PLACEMENT_CREATE, candidates[i].parent, candidates[i].type};
        else if (rc == 0)
            ARRAY_ADD(search->bans, search->ban_count, ban);
    }
    search->ban_count = bans;
    return rc;
}

/* Those with the fewest candidates first; equal ones keep their order. REFUSED if one has none. */
static int
sort_by_choice(struct search *search, struct error *error)
{
    AUTO_FREE size_t *counts = memory_zeroed(search->count, sizeof(*counts));

    for (size_t i = 0; i < search->count; i++) {
        const struct demand *demand = &search->problem->demands->items[search->order[i]];
        AUTO_FREE struct candidate *candidates = NULL;
        size_t moving = search->order[i], k = i;

        candidate_list(&search->capacity, demand, &candidates, &counts[i]);
        if (counts[i] == 0)
            return refusal_none(&search->capacity, demand, error);
        for (size_t mine = counts[i]; k > 0 && counts[k - 1] > mine; k--) {
            counts[k] = counts[k - 1];
            counts[k - 1] = mine;
            search->order[k] = search->order[k - 1];
        }
        search->order[k] = moving;
    }
    return 0;
}

/* Gives each the best that is left, until one finds nothing: that one says why. */
static int
explain_together(struct search *search, struct error *error)
{
    const struct demand *demand = NULL;

    for (size_t i = 0; i < search->count; i++) {
        AUTO_FREE struct candidate *candidates = NULL;
        size_t count;

        demand = &search->problem->demands->items[search->order[i]];
        candidate_list(&search->capacity, demand, &candidates, &count);
        if (count == 0)
            break;
        capacity_take(&search->capacity, candidates[0].parent, candidates[0].type);
    }
    return refusal_not_together(&search->capacity, search->order, search->count, demand, error);
}

int
placement_find(const struct placement_problem *problem, struct placement_choice *choices,
               struct error *error)
{
    AUTO(search_clear) struct search search;
    int rc = begin(&search, problem, choices, error);

    if (rc == 0)
        rc = sort_by_choice(&search, error);
    if (rc < 0)
        return rc;
    rc = search_on(&search, 0);
    if (rc > 0)
        return 0;
    if (rc == 0)
        return explain_together(&search, error);
    return error_refuse(error, ERROR_UNDECIDED,
                        "its %zu vGPUs can be placed in more ways than were tried; name a parent "
                        "for some of them",
                        problem->demands->count);
}

/* The first lease that helps a demand which has no candidate. REFUSED if one cannot be helped: then
 * nothing is to be evicted in vain for another. */
static int
evict_for(struct search *search, const bool *may_evict, bool together, size_t *best)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct demand *demand = &search->problem->demands->items[search->order[i]];
        AUTO_FREE struct candidate *candidates = NULL;
        size_t count, lease;

        candidate_list(&search->capacity, demand, &candidates, &count);
        if (count > 0 && together)
            capacity_take(&search->capacity, candidates[0].parent, candidates[0].type);
        if (count > 0)
            continue;
        lease = victim_pick(&search->capacity, demand, may_evict);
        if (lease == SIZE_MAX)
            return REFUSED;
        *best = *best == SIZE_MAX ? lease : *best;
    }
    return 0;
}

/* Those whom the fewest parents could ever take first. */
static void
sort_by_chances(struct search *search, const bool *may_evict)
{
    AUTO_FREE size_t *chances = memory_zeroed(search->count, sizeof(*chances));

    for (size_t i = 0; i < search->count; i++) {
        size_t moving = search->order[i], k = i;
        size_t mine = victim_count_chances(&search->capacity,
                                           &search->problem->demands->items[moving], may_evict);

        for (; k > 0 && chances[k - 1] > mine; k--) {
            chances[k] = chances[k - 1];
            search->order[k] = search->order[k - 1];
        }
        chances[k] = mine;
        search->order[k] = moving;
    }
}

/* Whether all demands could be met together if some leases' devices were gone; if that cannot be
 * told, they could. */
static bool
could_meet(const struct placement_problem *problem, const bool *gone,
           struct placement_choice *choices)
{
    AUTO(eviction_clear) struct eviction eviction = {0};
    struct error why = {0};
    int rc;

    eviction_make(&eviction, problem, gone, EVICTION_MOST);
    rc = placement_find(&eviction.problem, choices, &why);
    return rc != REFUSED || (why.class != ERROR_NO_ROOM && why.class != ERROR_NEVER);
}

/* The same of all that may be evicted. What has a demanded UUID may stay, or make room for another.
 */
static bool
could_meet_all(const struct placement_problem *problem, const bool *may_evict,
               struct placement_choice *choices)
{
    const struct demands *demands = problem->demands;
    AUTO_FREE bool *gone = memory_zeroed(problem->ledger->count, sizeof(*gone));

    for (int keep = 0; keep < 2; keep++) {
        for (size_t i = 0; i < problem->ledger->count; i++)
            gone[i] = may_evict[i];
        for (size_t i = 0; keep && i < demands->count; i++) {
            const struct lease *lease =
                ledger_find(problem->ledger, &demands->items[i].hostdev->source);

            if (lease)
                gone[lease - problem->ledger->leases] = false;
        }
        if (could_meet(problem, gone, choices))
            return true;
    }
    return false;
}

size_t
placement_pick_victim(const struct placement_problem *problem, const bool *may_evict)
{
    AUTO(search_clear) struct search search = {0};
    AUTO_FREE struct placement_choice *choices =
        memory_zeroed(problem->demands->count, sizeof(*choices));
    const struct demands *demands = problem->demands;
    struct error ignored;
    size_t best = SIZE_MAX;
    int rc;

    /* What has a demanded UUID and may not stay goes first, if at all: nothing else would help. */
    if (begin(&search, problem, choices, &ignored) < 0) {
        const struct lease *lease =
            ledger_find(problem->ledger, &demands->items[search.settled].hostdev->source);

        best = lease ? (size_t)(lease - problem->ledger->leases) : SIZE_MAX;
        return best != SIZE_MAX && may_evict[best] && could_meet(problem, may_evict, choices)
                   ? best
                   : SIZE_MAX;
    }
    /* First by themselves; and if each then has a way, with the others having the best that is
     * left. */
    rc = evict_for(&search, may_evict, false, &best);
    if (rc == 0 && best == SIZE_MAX) {
        sort_by_chances(&search, may_evict);
        rc = evict_for(&search, may_evict, true, &best);
    }
    /* Nothing is evicted in vain, which a lone demand's has been seen not to be already. */
    if (rc == 0 && best != SIZE_MAX && demands->count > 1 &&
        !could_meet_all(problem, may_evict, choices))
        return SIZE_MAX;
    return rc < 0 ? SIZE_MAX : best;
}
