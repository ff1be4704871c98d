/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/vendor.h"

const struct vendor *const vendor_built_in[] = {&vendor_nvidia, NULL};

const struct vendor *const *
vendor_rows(const struct host *host)
{
    return host->vendors ? host->vendors : vendor_built_in;
}

void
vendor_describe(const struct vendor *const *rows, struct inventory_type *type)
{
    while (*rows && !(*rows)->has(type))
        rows++;
    type->vendor = *rows;
    if (type->vendor && type->vendor->describe)
        type->vendor->describe(type);
}

void
vendor_find_instances(const struct host *host, struct inventory_gpu *gpu)
{
    for (const struct vendor *const *row = vendor_rows(host); *row; row++) {
        if ((*row)->find_instances)
            (*row)->find_instances(host, gpu);
    }
}

void
vendor_read_tables(const struct host *host, const struct inventory_filter *filter,
                   struct inventory *inventory)
{
    for (const struct vendor *const *row = vendor_rows(host); *row; row++) {
        if ((*row)->read_table)
            (*row)->read_table(host, filter, inventory);
    }
}

const char *
vendor_forbids(const struct inventory_type *a, const struct inventory_type *b)
{
    /* Most guests with several vGPUs have them of one type. */
    if (!a->vendor || a->vendor != b->vendor || name_equal(&a->id, &b->id))
        return NULL;
    return a->vendor->may_combine && !a->vendor->may_combine(a, b) ? a->vendor->combination : NULL;
}
