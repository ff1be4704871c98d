/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/feasibility.h"
#include "placement/constraints.h"
#include "placement/reason.h"

/* Whether an earlier demand has been given a virtual function already. */
static bool
is_given(const struct capacity *capacity, const struct placement_choice *choices, size_t count,
         size_t parent)
{
    bool is_named = capacity->problem->inventory->parents[parent].interface->hostdev == REQUEST_PCI;

    for (size_t i = 0; is_named && i < count; i++) {
        if (choices[i].parent == parent)
            return true;
    }
    return false;
}

/* 0: nothing is on a parent, or it is no virtual function and has room for many; 1: a vGPU of ours,
 * or a claim; 2: somebody else's, which a guest that is sent there would be given. */
static int
occupancy(const struct capacity *capacity, size_t parent)
{
    const struct inventory *inventory = capacity->problem->inventory;

    for (size_t i = 0; capacity_is_function(capacity, parent) && i < inventory->vgpu_count; i++) {
        if (inventory->vgpus[i].parent == parent)
            return ledger_find(capacity->problem->ledger, &inventory->vgpus[i].device) ? 1 : 2;
    }
    return capacity_is_claimed(capacity, parent);
}

/* Whether the rules let a demand have a parent. */
static bool
may_be_on(const struct capacity *capacity, const struct demand *demand, size_t parent,
          struct placement_choice *choice)
{
    const struct inventory *inventory = capacity->problem->inventory;
    size_t gpu = inventory->parents[parent].gpu;

    for (size_t type = 0; type < inventory->gpus[gpu].count; type++) {
        enum reason verdict;
        unsigned rank;

        if (!demand_ranks(demand, &inventory->gpus[gpu].types[type], &rank))
            continue;
        *choice = (struct placement_choice){PLACEMENT_CREATE, parent, type};
        verdict = constraints_judge(capacity, demand, gpu, parent, type);
        if (verdict == REASON_NONE || verdict == REASON_QUOTA)
            return true;
    }
    return false;
}

/* The same, if its driver only does not list the type just now. */
static bool
may_be_on_unlisted(const struct capacity *capacity, const struct demand *demand, size_t parent,
                   struct placement_choice *choice)
{
    const struct inventory *inventory = capacity->problem->inventory;
    size_t gpu = inventory->parents[parent].gpu;

    *choice = (struct placement_choice){PLACEMENT_CREATE, parent, FEASIBILITY_NO_TYPE};
    return inventory_may_have_more(inventory, gpu) &&
           constraints_judge(capacity, demand, gpu, parent, CONSTRAINTS_ANY_TYPE) == REASON_NONE;
}

/* Whether the rules let a demand have any place of the host: the first, but rather one whose driver
 * lists the type, and a free one. */
static bool
has_chance(const struct capacity *capacity, size_t index, struct placement_choice *choices)
{
    const struct demand *demand = &capacity->problem->demands->items[index];
    size_t count = capacity->problem->inventory->parent_count;

    for (int worse = 0; worse < 6; worse++) {
        bool listed = worse < 3;

        for (size_t i = 0; i < count; i++) {
            if (occupancy(capacity, i) == worse % 3 && !is_given(capacity, choices, index, i) &&
                (listed ? may_be_on(capacity, demand, i, &choices[index])
                        : may_be_on_unlisted(capacity, demand, i, &choices[index])))
                return true;
        }
    }
    return false;
}

int
feasibility_find(const struct placement_problem *problem, struct placement_choice *choices,
                 struct error *error)
{
    AUTO(capacity_clear) struct capacity capacity;

    if (capacity_init(&capacity, problem) < 0)
        return error_set(error, -ENOMEM, "no memory for the placement");
    for (size_t i = 0; i < problem->demands->count; i++) {
        if (!has_chance(&capacity, i, choices))
            return reason_none(&capacity, &problem->demands->items[i], error);
    }
    return 0;
}
