/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/feasibility.h"
#include "placement/constraints.h"
#include "placement/reason.h"

/* Whether an earlier demand has been given a virtual function already. */
static bool
is_given(const struct room *room, const struct placement_choice *choices, size_t count,
         size_t parent)
{
    bool is_named = room->question->inventory->parents[parent].interface->hostdev == REQUEST_PCI;

    for (size_t i = 0; is_named && i < count; i++) {
        if (choices[i].parent == parent)
            return true;
    }
    return false;
}

/* 0: nothing is on a parent, or it is no virtual function and has room for many; 1: a vGPU of ours,
 * or a claim; 2: somebody else's, which a guest that is sent there would be given. */
static int
occupancy(const struct room *room, size_t parent)
{
    const struct inventory *inventory = room->question->inventory;

    for (size_t i = 0; room_is_function(room, parent) && i < inventory->vgpu_count; i++) {
        if (inventory->vgpus[i].parent == parent)
            return ledger_find(room->question->ledger, &inventory->vgpus[i].device) ? 1 : 2;
    }
    return room_is_claimed(room, parent);
}

/* Whether the rules let a demand have a parent. */
static bool
may_be_on(const struct room *room, const struct demand *demand, size_t parent,
          struct placement_choice *choice)
{
    const struct inventory *inventory = room->question->inventory;
    size_t gpu = inventory->parents[parent].gpu;

    for (size_t type = 0; type < inventory->gpus[gpu].count; type++) {
        enum verdict verdict;
        unsigned rank;

        if (!demand_ranks(demand, &inventory->gpus[gpu].types[type], &rank))
            continue;
        *choice = (struct placement_choice){PLACEMENT_MAKE, parent, type};
        verdict = rules_judge(room, demand, gpu, parent, type);
        if (verdict == VERDICT_GOOD || verdict == VERDICT_QUOTA)
            return true;
    }
    return false;
}

/* The same, if its driver only does not list the type just now. */
static bool
may_be_on_unlisted(const struct room *room, const struct demand *demand, size_t parent,
                   struct placement_choice *choice)
{
    const struct inventory *inventory = room->question->inventory;
    size_t gpu = inventory->parents[parent].gpu;

    *choice = (struct placement_choice){PLACEMENT_MAKE, parent, OUTLOOK_NO_TYPE};
    return inventory_may_have_more(inventory, gpu) &&
           rules_judge(room, demand, gpu, parent, RULES_ANY_TYPE) == VERDICT_GOOD;
}

/* Whether the rules let a demand have any place of the host: the first, but rather one whose driver
 * lists the type, and a free one. */
static bool
has_chance(const struct room *room, size_t index, struct placement_choice *choices)
{
    const struct demand *demand = &room->question->demands->items[index];
    size_t count = room->question->inventory->parent_count;

    for (int worse = 0; worse < 6; worse++) {
        bool listed = worse < 3;

        for (size_t i = 0; i < count; i++) {
            if (occupancy(room, i) == worse % 3 && !is_given(room, choices, index, i) &&
                (listed ? may_be_on(room, demand, i, &choices[index])
                        : may_be_on_unlisted(room, demand, i, &choices[index])))
                return true;
        }
    }
    return false;
}

int
outlook_find(const struct placement_question *question, struct placement_choice *choices,
             struct error *error)
{
    AUTO(room_clear) struct room room;

    if (room_init(&room, question) < 0)
        return error_set(error, -ENOMEM, "no memory for the placement");
    for (size_t i = 0; i < question->demands->count; i++) {
        if (!has_chance(&room, i, choices))
            return reason_none(&room, &question->demands->items[i], error);
    }
    return 0;
}
