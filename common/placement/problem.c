/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/problem.h"
#include "device/vgpu.h"

const struct name *
placement_device(const struct placement_problem *problem, const struct demand *demand,
                 const struct placement_choice *choice)
{
    const struct inventory_parent *parent = &problem->inventory->parents[choice->parent];

    return parent->interface->hostdev == REQUEST_PCI ? &parent->name : &demand->hostdev->source;
}

bool
placement_concerns(const struct placement_problem *problem, const struct lease *lease)
{
    const struct inventory *inventory = problem->inventory;
    size_t gpu;
    bool known = inventory_find_gpu(inventory, &lease->gpu, &gpu);

    for (size_t i = 0; i < problem->demands->count; i++) {
        const struct demand *demand = &problem->demands->items[i];

        if (name_equal(&demand->hostdev->source, &lease->vgpu.device) ||
            (known && demand_count_types(demand, &inventory->gpus[gpu])))
            return true;
    }
    return false;
}
