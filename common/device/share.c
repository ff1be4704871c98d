/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/share.h"
#include "base/array.h"
#include "device/vgpu.h"

#include <string.h>

#define UNIT  2    /* MiB: the driver gives out memory in these units */
#define WHOLE 1024 /* MiB: its third rule counts only whole GiB */

static bool
is_power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

static unsigned
at_most(uint64_t mib)
{
    return mib < UINT32_MAX ? (unsigned)mib : UINT32_MAX;
}

struct share_sum
share_sum(const uint64_t *shares, size_t count)
{
    const uint64_t each = count ? at_most(shares[0]) : 0;
    uint64_t sum = each * count, next = (each + UNIT) * count, whole;

    if (is_power_of_two(each) || ARRAY_HAS(shares, count, share, *share != *shares))
        return (struct share_sum){0};
    whole = (sum + WHOLE - 1) / WHOLE * WHOLE;
    return (struct share_sum){at_most(sum), at_most(whole < next ? whole + WHOLE - 1 : next - 1)};
}

struct share_sum
share_seen(const struct inventory_gpu *gpu)
{
    const struct limit *memory = inventory_memory(gpu);
    AUTO_FREE uint64_t *shares = memory_zeroed(gpu->parent_count, sizeof(*shares));
    size_t count = 0;

    for (size_t i = 0; memory && memory->held && !gpu->vgpu_count && i < gpu->parent_count; i++) {
        if (gpu->parents[i]->interface == &vgpu_xe)
            shares[count++] = memory->held[i];
    }
    return share_sum(shares, count);
}

/* resources/config/vgpu.conf of github.com/intel/xpumanager. Some cards have more: a B70 (e223) has
 * had 32504 MiB. */
static const struct share_known known[] = {
    {"e211", 24192, 20504}, {"e212", 16128, 14084}, {"e216", 24192, 20504},
    {"e222", 31744, 26982}, {"e223", 28392, 20504},
};

const struct share_known *
share_known(const struct inventory_gpu *gpu)
{
    if (strcmp(gpu->vendor, "8086") != 0)
        return NULL;
    return ARRAY_FIND(known, COUNT(known), card, !strcmp(card->device, gpu->device));
}
