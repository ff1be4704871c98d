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
