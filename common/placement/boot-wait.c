/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/boot-wait.h"

bool
boot_wait_misses(const struct policy_gpu *gpu, const struct names *drained,
                 const struct inventory *inventory)
{
    const struct inventory_gpu *seen = inventory_find_gpu(inventory, &gpu->address);

    return !(seen && inventory_offers(seen)) && gpu->enabled && !names_has(drained, &gpu->address);
}

unsigned
boot_wait_left(const struct policy *policy, const struct names *drained,
               const struct inventory *inventory, uint64_t uptime)
{
    bool missing = false;

    for (size_t i = 0; i < policy->gpu_count; i++)
        missing |= boot_wait_misses(&policy->gpus[i], drained, inventory);
    return missing && uptime < policy->boot_wait ? policy->boot_wait - (unsigned)uptime : 0;
}
