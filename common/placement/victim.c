/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/victim.h"
#include "placement/fit.h"

#include <string.h>

/* How many parents of a GPU take a demand, as the type that the most take. */
static size_t
count_on(const struct rooms *rooms, const struct demand *demand, size_t gpu)
{
    const struct inventory_gpu *card = &rooms->problem->inventory->gpus[gpu];
    size_t most = 0;

    for (size_t type = 0; type < card->count; type++) {
        struct fit fit;
        unsigned rank;

        if (demand_ranks(demand, &card->types[type], &rank) &&
            fit_judge(rooms, demand, gpu, type, &fit) == REASON_NONE)
            most = fit.places > most ? fit.places : most;
    }
    return most;
}

bool
victim_would_help(const struct rooms *then, const struct demand *demand, size_t gpu)
{
    return count_on(then, demand, gpu) > 0;
}

size_t
victim_count_chances(const struct rooms *then, const struct demand *demand)
{
    size_t count = 0;

    for (size_t gpu = 0; gpu < then->problem->inventory->gpu_count; gpu++)
        count += count_on(then, demand, gpu);
    return count;
}

/* Whether it is on the very parent that a demand names. */
static bool
is_there(const struct demand *demand, const struct lease *lease)
{
    const struct name *vf = demand_vf(demand);
    const char *parent = vf ? vf->text : demand->device ? demand->device->parent : NULL;

    return parent && !strcmp(parent, lease->vgpu.parent.text);
}

/* Whether it may be what keeps a demand from a place. */
static bool
is_in_the_way(const struct rooms *now, const struct demand *demand, size_t vgpu,
              const struct lease *lease)
{
    const struct inventory *inventory = now->problem->inventory;
    size_t gpu = inventory->parents[inventory->vgpus[vgpu].parent].gpu;

    for (size_t type = 0; type < inventory->gpus[gpu].count; type++) {
        unsigned rank;

        if (demand_ranks(demand, &inventory->gpus[gpu].types[type], &rank) &&
            gpu_room_is_in_the_way(&now->gpus[gpu], vgpu, type))
            return true;
    }
    return is_there(demand, lease);
}

/* What is on the very parent that a demand names, then what no demand is for, then the oldest. */
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

/* Of the leases that may be evicted and are in the way on a GPU the one that goes first; SIZE_MAX:
 * there is none. *count: how many there are. */
static size_t
pick_on(const struct rooms *now, const struct demand *demand, size_t gpu, const bool *may_evict,
        size_t *count)
{
    const struct inventory *inventory = now->problem->inventory;
    const struct lease *leases = now->problem->ledger->leases;
    size_t first = SIZE_MAX;

    *count = 0;
    for (size_t i = 0; i < now->problem->ledger->count; i++) {
        const struct inventory_vgpu *vgpu =
            may_evict[i] ? placement_vgpu(now->problem, &leases[i].vgpu.device) : NULL;

        if (!vgpu || inventory->parents[vgpu->parent].gpu != gpu ||
            !is_in_the_way(now, demand, (size_t)(vgpu - inventory->vgpus), &leases[i]))
            continue;
        ++*count;
        if (first == SIZE_MAX || goes_before(now->problem, demand, &leases[i], &leases[first]))
            first = i;
    }
    return first;
}

size_t
victim_pick(const struct rooms *now, const struct rooms *then, const struct demand *demand,
            const bool *may_evict)
{
    size_t best = SIZE_MAX, fewest = SIZE_MAX;

    for (size_t gpu = 0; gpu < now->problem->inventory->gpu_count; gpu++) {
        size_t count, first = pick_on(now, demand, gpu, may_evict, &count);

        if (count && count < fewest && victim_would_help(then, demand, gpu)) {
            fewest = count;
            best = first;
        }
    }
    return best;
}
