/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/boot-wait.h"

#include <stdio.h>

bool
boot_misses(const struct policy *policy, const struct policy_gpu *gpu,
            const struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        if (name_equal(&inventory->gpus[i].name, &gpu->address) && inventory_offers(inventory, i))
            return false;
    }
    return gpu->enabled && !policy_is_drained(policy, &gpu->address);
}

unsigned
boot_left(const struct host *host, const struct policy *policy, const struct inventory *inventory)
{
    unsigned long seconds, hundredths;
    bool missing = false;
    uint64_t uptime;
    char text[64];

    for (size_t i = 0; i < policy->gpu_count; i++)
        missing |= boot_misses(policy, &policy->gpus[i], inventory);
    if (!missing || host_read(host, text, sizeof(text), "proc/uptime") < 0 ||
        sscanf(text, "%9lu.%2lu", &seconds, &hundredths) != 2)
        return 0;
    uptime = 1000ul * seconds + 10 * hundredths;
    return uptime < policy->boot_wait ? policy->boot_wait - (unsigned)uptime : 0;
}
