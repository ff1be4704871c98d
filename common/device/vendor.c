/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/vendor.h"

static const struct vendor *const vendors[] = {&vendor_nvidia};

void
vendor_describe(struct inventory_type *type)
{
    for (size_t i = 0; i < COUNT(vendors); i++) {
        if (vendors[i]->describe && vendors[i]->has(type))
            vendors[i]->describe(type);
    }
}

void
vendor_find_instances(const struct host *host, struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < COUNT(vendors); i++) {
        if (vendors[i]->find_instances)
            vendors[i]->find_instances(host, gpu);
    }
}

void
vendor_read_tables(const struct host *host, const struct inventory_filter *filter,
                   struct inventory *inventory)
{
    for (size_t i = 0; i < COUNT(vendors); i++) {
        if (vendors[i]->read_table)
            vendors[i]->read_table(host, filter, inventory);
    }
}

const char *
vendor_forbids(const struct inventory_type *a, const struct inventory_type *b)
{
    /* Most guests with several vGPUs have them of one type. */
    if (name_equal(&a->id, &b->id))
        return NULL;
    for (size_t i = 0; i < COUNT(vendors); i++) {
        if (vendors[i]->may_combine && vendors[i]->has(a) && vendors[i]->has(b) &&
            !vendors[i]->may_combine(a, b))
            return vendors[i]->combination;
    }
    return NULL;
}
