/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/problem.h"
#include "device/vgpu.h"

/* Whether the domain runs with a lease's device while it asks for more. */
static bool
is_running_with(const struct placement_problem *problem, const struct lease *lease)
{
    return problem->running && lease->state == LEASE_HELD &&
           name_equal(&lease->domain, &problem->request->domain);
}

bool
placement_lease_is_gone(const struct placement_problem *problem, const struct lease *lease)
{
    if (problem->host != PLACEMENT_NOW)
        return !is_running_with(problem, lease);
    return problem->gone && problem->gone[lease - problem->ledger->leases];
}

bool
placement_vgpu_is_gone(const struct placement_problem *problem, const struct inventory_vgpu *vgpu)
{
    const struct lease *lease = NULL;

    if (problem->host != PLACEMENT_NOW || problem->gone)
        lease = ledger_find(problem->ledger, &vgpu->device);
    return lease ? placement_lease_is_gone(problem, lease) : problem->host == PLACEMENT_EMPTY;
}

struct lease *
placement_lease(const struct placement_problem *problem, const struct name *device)
{
    struct lease *lease = ledger_find(problem->ledger, device);

    return lease && placement_lease_is_gone(problem, lease) ? NULL : lease;
}

const struct inventory_vgpu *
placement_vgpu(const struct placement_problem *problem, const struct name *device)
{
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(problem->inventory, device);

    return vgpu && placement_vgpu_is_gone(problem, vgpu) ? NULL : vgpu;
}

const struct name *
placement_device(const struct demand *demand, const struct placement_choice *choice)
{
    const struct inventory_parent *parent = choice->place.parent;

    return parent->interface->hostdev == REQUEST_PCI ? &parent->name : &demand->hostdev->source;
}

bool
placement_concerns(const struct placement_problem *problem, const struct lease *lease)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(problem->inventory, &lease->gpu);

    for (size_t i = 0; i < problem->demands->count; i++) {
        const struct demand *demand = &problem->demands->items[i];

        if (name_equal(&demand->hostdev->source, &lease->vgpu.device) ||
            (gpu && demand_count_types(&demand->terms, gpu)))
            return true;
    }
    return false;
}
