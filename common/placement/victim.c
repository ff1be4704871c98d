/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/victim.h"
#include "base/memory.h"
#include "placement/candidate.h"
#include "placement/fit.h"
#include "placement/placement.h"
#include "placement/search.h"

#include <string.h>

/* How many parents of a GPU take a demand, for the type that the most of them take. */
static size_t
count_on(const struct loads *loads, const struct demand *demand, const struct inventory_gpu *gpu)
{
    size_t most = 0;

    for (size_t i = 0; i < gpu->type_count; i++) {
        struct fit fit;
        unsigned rank;

        if (demand_ranks(&demand->terms, &gpu->types[i], &rank) &&
            fit_judge(loads, &demand->terms, &gpu->types[i], &fit) == REASON_NONE)
            most = fit.places > most ? fit.places : most;
    }
    return most;
}

bool
victim_would_help(const struct loads *then, const struct demand *demand,
                  const struct inventory_gpu *gpu)
{
    return count_on(then, demand, gpu) > 0;
}

static size_t
count_chances(const struct loads *then, const struct demand *demand)
{
    const struct inventory *inventory = then->problem->inventory;
    size_t count = 0;

    for (size_t i = 0; i < inventory->gpu_count; i++)
        count += count_on(then, demand, inventory->gpus[i]);
    return count;
}

/* Whether a lease is on the very parent that a demand names. */
static bool
is_there(const struct demand *demand, const struct lease *lease)
{
    const struct name *vf = demand_vf(demand);
    const char *parent = vf ? vf->text : demand->terms.attributes.said[ATTRIBUTE_PARENT];

    return parent && !strcmp(parent, lease->vgpu.parent.text);
}

/* Whether a vGPU may keep a demand from a place. */
static bool
is_in_the_way(const struct loads *now, const struct demand *demand,
              const struct inventory_vgpu *vgpu, const struct lease *lease)
{
    const struct inventory_gpu *gpu = vgpu->parent->gpu;

    for (size_t i = 0; i < gpu->type_count; i++) {
        unsigned rank;

        if (demand_ranks(&demand->terms, &gpu->types[i], &rank) &&
            gpu_room_is_in_the_way(loads_on(now, gpu), vgpu, &gpu->types[i]))
            return true;
    }
    return is_there(demand, lease);
}

/* Whether a goes before b. First goes a lease on the very parent that the demand names, then one
 * that no demand names, then the oldest. */
static bool
goes_before(const struct placement_problem *problem, const struct demand *demand,
            const struct lease *a, const struct lease *b)
{
    bool a_there = is_there(demand, a), b_there = is_there(demand, b);
    bool a_demanded = demands_name(problem->demands, &a->vgpu.device);
    bool b_demanded = demands_name(problem->demands, &b->vgpu.device);

    if (a_there != b_there)
        return a_there;
    if (a_demanded != b_demanded)
        return b_demanded;
    return a->time < b->time;
}

/* The lease that goes first on a GPU, of those that may be evicted and are in the way; SIZE_MAX:
 * none. *count: how many they are. */
static size_t
pick_on(const struct loads *now, const struct demand *demand, const struct inventory_gpu *gpu,
        const bool *may_evict, size_t *count)
{
    const struct lease *leases = now->problem->ledger->leases;
    size_t first = SIZE_MAX;

    *count = 0;
    for (size_t i = 0; i < now->problem->ledger->count; i++) {
        const struct inventory_vgpu *vgpu =
            may_evict[i] ? placement_vgpu(now->problem, &leases[i].vgpu.device) : NULL;

        if (!vgpu || vgpu->parent->gpu != gpu || !is_in_the_way(now, demand, vgpu, &leases[i]))
            continue;
        ++*count;
        if (first == SIZE_MAX || goes_before(now->problem, demand, &leases[i], &leases[first]))
            first = i;
    }
    return first;
}

static size_t
pick(const struct loads *now, const struct loads *then, const struct demand *demand,
     const bool *may_evict)
{
    size_t best = SIZE_MAX, fewest = SIZE_MAX;

    for (size_t i = 0; i < now->problem->inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = now->problem->inventory->gpus[i];
        size_t count, first = pick_on(now, demand, gpu, may_evict, &count);

        if (count && count < fewest && victim_would_help(then, demand, gpu)) {
            fewest = count;
            best = first;
        }
    }
    return best;
}

/* --- of all demands together -------------------------------------------------------------------
 */

/* The first lease that helps a demand without a candidate. *then: the loads when all is gone
 * that may be evicted. REFUSED: some demand cannot be helped, so evicting for another would be
 * in vain. */
static int
evict_for(struct search *search, struct loads *then, const bool *may_evict, bool together,
          size_t *best)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct demand *demand = &search->problem->demands->items[search->order[i]];
        AUTO_FREE struct candidate *candidates = NULL;
        size_t count, lease;

        candidates = search_list(search, search->order[i], &count);
        if (count > 0 && together) {
            loads_take(&search->loads, &candidates[0].place);
            loads_take(then, &candidates[0].place);
        }
        if (count > 0)
            continue;
        lease = pick(&search->loads, then, demand, may_evict);
        if (lease == SIZE_MAX)
            return REFUSED;
        *best = *best == SIZE_MAX ? lease : *best;
    }
    return 0;
}

/* Sorts the demands: those come first that the fewest parents could ever take. */
static void
sort_by_chances(struct search *search, const struct loads *then)
{
    AUTO_FREE size_t *chances = memory_zeroed(search->count, sizeof(*chances));

    for (size_t i = 0; i < search->count; i++) {
        chances[i] = count_chances(then, &search->problem->demands->items[search->order[i]]);
        search_sort_in(search, chances, i);
    }
}

/* Whether all demands could be met together if some leases' devices were gone. A search that takes
 * too long finds nothing, so that nothing is evicted for a place that may not be there. */
static bool
could_meet(const struct placement_problem *problem, const bool *gone,
           struct placement_choice *choices)
{
    struct placement_problem then = *problem;
    struct error why = {0};

    then.gone = gone;
    then.certainty = PLACEMENT_TRY;
    return placement_find(&then, choices, &why) == 0 ||
           (why.class != ERROR_NO_ROOM && why.class != ERROR_NEVER && why.class != ERROR_UNDECIDED);
}

/* A flag per lease: it is gone already, or may be evicted. With keep_named, a lease whose device a
 * demand names is not flagged as evictable. The caller frees it. */
static bool *
flag_gone(const struct placement_problem *problem, const bool *may_evict, bool keep_named)
{
    bool *gone = memory_zeroed(problem->ledger->count, sizeof(*gone));

    for (size_t i = 0; i < problem->ledger->count; i++)
        gone[i] = (problem->gone && problem->gone[i]) ||
                  (may_evict[i] &&
                   !(keep_named &&
                     demands_name(problem->demands, &problem->ledger->leases[i].vgpu.device)));
    return gone;
}

/* Whether all demands would have room if everything were gone that may be evicted. A device that a
 * demand names may stay, or make room for another. */
static bool
could_meet_all(const struct placement_problem *problem, const bool *may_evict,
               struct placement_choice *choices)
{
    AUTO_FREE bool *all = flag_gone(problem, may_evict, false);
    AUTO_FREE bool *others = flag_gone(problem, may_evict, true);

    return could_meet(problem, all, choices) || could_meet(problem, others, choices);
}

/* The lease of the device that is in the way of the demand that names it. SIZE_MAX: that device may
 * not be evicted, or evicting it would not help. Then nothing is evicted: whatever else goes, the
 * demand stays refused while the device is there. */
static size_t
pick_named(const struct search *search, const bool *may_evict, struct placement_choice *choices)
{
    const struct placement_problem *problem = search->problem;
    const struct lease *lease =
        placement_lease(problem, &problem->demands->items[search->settled].hostdev->source);
    AUTO_FREE bool *gone = flag_gone(problem, may_evict, false);
    size_t index = lease ? (size_t)(lease - problem->ledger->leases) : SIZE_MAX;

    return lease && may_evict[index] && could_meet(problem, gone, choices) ? index : SIZE_MAX;
}

size_t
victim_find(const struct placement_problem *problem, const bool *may_evict)
{
    /* `after` is declared before `then`, because the clearing of `then` reads it, and what is
     * declared later is cleared earlier. */
    struct placement_problem after = *problem;
    AUTO(search_clear) struct search search = {0};
    AUTO(loads_clear) struct loads then = {0};
    AUTO_FREE bool *gone = flag_gone(problem, may_evict, false);
    AUTO_FREE struct placement_choice *choices =
        memory_zeroed(problem->demands->count, sizeof(*choices));
    struct error ignored;
    size_t best = SIZE_MAX;
    int rc;

    if (search_begin(&search, problem, choices, &ignored) < 0)
        return pick_named(&search, may_evict, choices);
    after.gone = gone;
    after.certainty = PLACEMENT_TRY;
    loads_init(&then, &after);
    /* First each demand by itself. If each has a way, then all together, each with the best place
     * that the others leave. */
    rc = evict_for(&search, &then, may_evict, false, &best);
    if (rc == 0 && best == SIZE_MAX) {
        sort_by_chances(&search, &then);
        rc = evict_for(&search, &then, may_evict, true, &best);
    }
    /* Evict nothing in vain. A lone demand has been checked already. */
    if (rc == 0 && best != SIZE_MAX && problem->demands->count > 1 &&
        !could_meet_all(problem, may_evict, choices))
        return SIZE_MAX;
    return rc < 0 ? SIZE_MAX : best;
}
