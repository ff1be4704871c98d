/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/quota.h"

static bool
binds(const struct policy_quota *quota, const char *name, const struct name *uuid)
{
    for (size_t i = 0; i < quota->domains.count; i++) {
        if (policy_is_domain(quota->domains.items[i], name, uuid))
            return true;
    }
    return false;
}

/* The type of a lease, as its own GPU describes it, or else any other GPU. A type that nobody asks
 * for is not described on every GPU, so the size is taken from the lease. */
static struct inventory_type
type_of(const struct inventory *inventory, const struct lease *lease)
{
    const struct name *id = &lease->vgpu.type;
    const struct inventory_type *found = NULL;
    const struct inventory_gpu *own = inventory_find_gpu(inventory, &lease->gpu);
    struct inventory_type ret = {.id = *id};

    if (own)
        found = inventory_find_type(own, id);
    for (size_t gpu = 0; !found && gpu < inventory->gpu_count; gpu++)
        found = inventory_find_type(inventory->gpus[gpu], id);
    if (found)
        ret = *found;
    if (lease->framebuffer)
        ret.framebuffer = lease->framebuffer;
    return ret;
}

/* Whether a domain has the vGPU of a lease, is getting it, or has its place reserved. */
static bool
counts_for_quota(const struct lease *lease)
{
    if (lease_is_nobodys(lease))
        return false;
    return lease->state == LEASE_PENDING || lease->state == LEASE_HELD ||
           lease->state == LEASE_RESERVED;
}

static size_t
count_quota(const struct placement_problem *problem, size_t index)
{
    const struct policy_quota *quota = &problem->policy->quotas[index];
    const struct policy_class *class = policy_find_class(problem->policy, quota->class);
    size_t used = 0;

    for (size_t i = 0; i < problem->ledger->count; i++) {
        const struct lease *lease = &problem->ledger->leases[i];
        const struct inventory_type type = type_of(problem->inventory, lease);

        used += counts_for_quota(lease) && !placement_lease_is_gone(problem, lease) && class &&
                demand_class_has(class, &type) &&
                !name_equal(&lease->domain, &problem->request->domain) &&
                binds(quota, lease->domain_name, &lease->domain);
    }
    return class && binds(quota, problem->request->name, &problem->request->domain) ? used
                                                                                    : SIZE_MAX;
}

void
quota_count(const struct placement_problem *problem, size_t *used)
{
    for (size_t i = 0; i < problem->policy->quota_count; i++)
        used[i] = count_quota(problem, i);
}
