/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/share.h"
#include "device/vgpu.h"

static bool
is_power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

unsigned
share_sum(const struct inventory_gpu *gpu)
{
    const struct limit *memory = inventory_memory(gpu);
    uint64_t each = 0, sum = 0;

    if (!memory || !memory->held || gpu->vgpu_count)
        return 0;
    for (size_t i = 0; i < gpu->parent_count; i++) {
        if (gpu->parents[i]->interface != &vgpu_xe)
            continue;
        if (sum && memory->held[i] != each)
            return 0;
        each = memory->held[i];
        sum += each;
        if (is_power_of_two(each))
            return 0;
    }
    return sum < UINT32_MAX ? (unsigned)sum : UINT32_MAX;
}
