/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/plan.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

static struct lease
lease_of(const struct placement_problem *problem, const struct demand *demand,
         const struct placement_choice *choice, const struct plan_actor *actor)
{
    const struct inventory_parent *parent = choice->place.parent;
    const struct inventory_type *type = choice->place.type;
    struct lease lease = {
        .vgpu = vgpu_at(&choice->place, placement_device(demand, choice)),
        .framebuffer = type->framebuffer,
        .gpu = parent->gpu->name,
        .domain = problem->request->domain,
        .state = LEASE_PENDING,
        .origin = choice->way == PLACEMENT_FOREIGN ? LEASE_FOUND : LEASE_MADE,
        .daemon = actor->daemon,
        .claim = actor->claim,
        .release = problem->policy->release == POLICY_KEEP ? LEASE_KEEP : LEASE_REAP,
        .time = actor->time,
    };

    snprintf(lease.domain_name, sizeof(lease.domain_name), "%s", problem->request->name);
    snprintf(lease.alias, sizeof(lease.alias), "%s",
             demand->hostdev->alias ? demand->hostdev->alias : "");
    return lease;
}

void
plan_build(const struct placement_problem *problem, const struct placement_choice *choices,
           const struct plan_actor *actor, struct plan *ret)
{
    *ret = (struct plan){0};
    for (size_t i = 0; i < problem->demands->count; i++) {
        struct plan_step step = {
            .way = choices[i].way,
            .lease = lease_of(problem, &problem->demands->items[i], &choices[i], actor),
        };

        demand_params(&problem->demands->items[i], step.params, sizeof(step.params));
        ARRAY_ADD(ret->steps, ret->count, step);
    }
}

void
plan_clear(struct plan *plan)
{
    free(plan->steps);
    *plan = (struct plan){0};
}
