/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/victim.h"
#include "placement/constraints.h"
#include "placement/eviction.h"

#include <string.h>

/* The GPU of a lease's device, SIZE_MAX if the inventory does not show it. */
static size_t
gpu_of(const struct inventory *inventory, const struct name *device)
{
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, device);

    return vgpu ? inventory->parents[vgpu->parent].gpu : SIZE_MAX;
}

/* Whether vGPUs are made on its virtual functions, one on each. */
static bool
has_function(const struct capacity *capacity, size_t gpu)
{
    const struct capacity_gpu *known = &capacity->gpus[gpu];

    return known->parent_count &&
           capacity_is_function(capacity, capacity->parents[known->first_parent]);
}

/* The parents of a GPU that can ever have a type. */
static size_t
count_parents(const struct capacity *capacity, size_t gpu, const struct inventory_type *type)
{
    const struct capacity_gpu *known = &capacity->gpus[gpu];
    size_t count = 0;

    for (size_t i = 0; i < known->parent_count; i++)
        count += inventory_may_have(
            &capacity->problem->inventory->parents[capacity->parents[known->first_parent + i]],
            type);
    return count;
}

/* Whether something that stays keeps the GPU from ever taking the type. */
static bool
is_blocked(const struct capacity *capacity, size_t gpu, const struct inventory_type *type,
           const bool *may_evict)
{
    const struct inventory *inventory = capacity->problem->inventory;
    const struct ledger *ledger = capacity->problem->ledger;
    const struct policy_gpu *policy =
        policy_find_gpu(capacity->problem->policy, &inventory->gpus[gpu].name);
    size_t staying = policy ? policy->reserve : 0;
    size_t functions = count_parents(capacity, gpu, type);
    bool has_functions = has_function(capacity, gpu);

    for (size_t i = 0; i < capacity->claim_count; i++) {
        const struct capacity_claim *claim = &capacity->claims[i];

        if (claim->gpu != gpu || claim->settled ||
            !inventory_may_have(&inventory->parents[claim->parent], type))
            continue;
        staying++;
        if (inventory_is_kept_off(&inventory->gpus[gpu], type, claim->framebuffer))
            return true;
    }
    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct lease *lease = ledger_find(ledger, &vgpu->device);
        const struct inventory_type *other;
        unsigned framebuffer;

        if (inventory->parents[vgpu->parent].gpu != gpu ||
            !inventory_may_have(&inventory->parents[vgpu->parent], type) ||
            (lease && may_evict[lease - ledger->leases]))
            continue;
        staying++;
        other = inventory_find_type(&inventory->gpus[gpu], &vgpu->type);
        framebuffer = lease ? lease->framebuffer : other ? other->framebuffer : 0;
        if (inventory_is_kept_off(&inventory->gpus[gpu], type, framebuffer))
            return true;
    }
    return (type->max && inventory_max_counts_all(&inventory->gpus[gpu], type) &&
            staying >= type->max) ||
           (has_functions && staying >= functions);
}

/* Whether something that stays has a virtual function, or is about to. */
static bool
stays_on(const struct capacity *capacity, size_t parent, const bool *may_evict)
{
    const struct inventory *inventory = capacity->problem->inventory;
    const struct ledger *ledger = capacity->problem->ledger;

    for (size_t i = 0; i < capacity->claim_count; i++) {
        if (capacity->claims[i].parent == parent && !capacity->claims[i].settled)
            return true;
    }
    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct lease *lease = ledger_find(ledger, &inventory->vgpus[i].device);

        if (inventory->vgpus[i].parent == parent && !(lease && may_evict[lease - ledger->leases]))
            return true;
    }
    for (size_t i = 0; capacity->owned[parent] && i < ledger->count; i++) {
        if (name_equal(&ledger->leases[i].vgpu.parent, &inventory->parents[parent].name) &&
            !may_evict[i])
            return true;
    }
    return false;
}

/* MiB that a GPU which is summed will have once all is gone that may be. */
static unsigned
free_then(const struct capacity *capacity, size_t gpu, const bool *may_evict)
{
    const struct inventory *inventory = capacity->problem->inventory;
    unsigned free = capacity_free(capacity, gpu);

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_parent *parent = &inventory->parents[inventory->vgpus[i].parent];

        if (parent->gpu == gpu && !stays_on(capacity, inventory->vgpus[i].parent, may_evict) &&
            parent->framebuffer > parent->former)
            free += parent->framebuffer - parent->former;
    }
    return free;
}

/* Whether a parent would have the memory by then. */
static bool
has_memory(const struct capacity *capacity, size_t parent, size_t type, const bool *may_evict)
{
    const struct inventory *inventory = capacity->problem->inventory;
    const struct inventory_parent *self = &inventory->parents[parent];

    return !inventory->gpus[self->gpu].is_summed ||
           inventory->gpus[self->gpu].types[type].framebuffer <=
               (uint64_t)free_then(capacity, self->gpu, may_evict) + self->former;
}

/* How many parents of a GPU the demand could have by then; what is refused in this call stays so.
 */
static size_t
count_usable(const struct capacity *capacity, const struct demand *demand, size_t gpu, size_t type,
             const bool *may_evict)
{
    const struct inventory *inventory = capacity->problem->inventory;
    const struct capacity_gpu *known = &capacity->gpus[gpu];
    size_t count = 0;

    for (size_t i = 0; i < known->parent_count; i++) {
        size_t parent = capacity->parents[known->first_parent + i];

        count +=
            constraints_judge(capacity, demand, gpu, parent, type) == REASON_NONE &&
            inventory_may_have(&inventory->parents[parent], &inventory->gpus[gpu].types[type]) &&
            inventory->parents[parent].available[type] >= 0 &&
            !capacity_is_rejected(capacity, parent, type) &&
            !(has_function(capacity, gpu) && stays_on(capacity, parent, may_evict)) &&
            has_memory(capacity, parent, type, may_evict);
    }
    return count;
}

/* How many parents of a GPU could take the demand by then, as the type that the most can have. */
static size_t
count_on(const struct capacity *capacity, const struct demand *demand, size_t gpu,
         const bool *may_evict)
{
    const struct inventory_gpu *card = &capacity->problem->inventory->gpus[gpu];
    size_t most = 0;

    for (size_t type = 0; type < card->count; type++) {
        unsigned rank;
        size_t count;

        if (!demand_ranks(demand, &card->types[type], &rank) ||
            is_blocked(capacity, gpu, &card->types[type], may_evict) ||
            (inventory_lacks_instance(capacity->problem->inventory, gpu, type) &&
             !eviction_frees_instance(capacity->problem, gpu, type, may_evict)))
            continue;
        count = count_usable(capacity, demand, gpu, type, may_evict);
        most = count > most ? count : most;
    }
    return most;
}

bool
victim_would_help(const struct capacity *capacity, const struct demand *demand, size_t gpu,
                  const bool *may_evict)
{
    return count_on(capacity, demand, gpu, may_evict) > 0;
}

size_t
victim_count_chances(const struct capacity *capacity, const struct demand *demand,
                     const bool *may_evict)
{
    size_t count = 0;

    for (size_t gpu = 0; gpu < capacity->problem->inventory->gpu_count; gpu++)
        count += count_on(capacity, demand, gpu, may_evict);
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

/* Whether it has what a demand lacks: anything at all, or a GPU instance of a shape. */
static bool
is_in_the_way(const struct capacity *capacity, const struct demand *demand, size_t gpu,
              const struct lease *lease)
{
    const struct inventory_gpu *card = &capacity->problem->inventory->gpus[gpu];
    const struct inventory_type *other = inventory_find_type(card, &lease->vgpu.type);

    for (size_t type = 0; type < card->count; type++) {
        unsigned rank;

        if (demand_ranks(demand, &card->types[type], &rank) &&
            (!inventory_lacks_instance(capacity->problem->inventory, gpu, type) ||
             (other && other->slices == card->types[type].slices)))
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

size_t
victim_pick(const struct capacity *capacity, const struct demand *demand, const bool *may_evict)
{
    const struct inventory *inventory = capacity->problem->inventory;
    const struct ledger *ledger = capacity->problem->ledger;
    size_t best = SIZE_MAX, fewest = SIZE_MAX;

    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        size_t oldest = SIZE_MAX, count = 0;

        for (size_t i = 0; i < ledger->count; i++) {
            if (!may_evict[i] || gpu_of(inventory, &ledger->leases[i].vgpu.device) != gpu ||
                !is_in_the_way(capacity, demand, gpu, &ledger->leases[i]))
                continue;
            count++;
            if (oldest == SIZE_MAX ||
                goes_before(capacity->problem, demand, &ledger->leases[i], &ledger->leases[oldest]))
                oldest = i;
        }
        if (count && count < fewest && victim_would_help(capacity, demand, gpu, may_evict)) {
            fewest = count;
            best = oldest;
        }
    }
    return best;
}
