/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/max-instances.h"

static bool
means(const struct policy_limit *limit, const struct inventory_type *type)
{
    for (size_t i = 0; i < limit->types.count; i++) {
        if (inventory_type_is(type, limit->types.items[i]))
            return true;
    }
    return false;
}

void
max_instances_apply(const struct policy *policy, struct inventory *inventory)
{
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        for (size_t i = 0; i < inventory->gpus[gpu].count; i++) {
            struct inventory_type *type = &inventory->gpus[gpu].types[i];

            /* Later files come later, and win. */
            for (size_t k = policy->limit_count; k > 0 && type->max == 0; k--) {
                if (means(&policy->limits[k - 1], type)) {
                    type->max = policy->limits[k - 1].max;
                    type->is_limited = type->max > 0;
                }
            }
        }
    }
}
