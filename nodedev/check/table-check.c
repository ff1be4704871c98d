/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "check/table-check.h"
#include "base/array.h"
#include "base/memory.h"
#include "device/maxima.h"
#include "device/nvidia-table.h"
#include "device/nvidia-number.h"

#include <string.h>

/* Whether a GPU's driver leaves the maximum of a type to the administrator. The inventory has the
 * driver's maximum, if there is one. */
static bool
is_left(const struct inventory_gpu *gpu, const struct name *id, const struct policy_limit *limit)
{
    const struct inventory_type *type = inventory_find_type(gpu, id);

    return type && type->max_source == LIMIT_CONFIGURED && type->max == limit->max;
}

static void
compare(const struct policy *policy, const struct inventory_gpu *gpu,
        const struct nvidia_table_card *card, struct report *report)
{
    for (size_t i = 0; i < card->type_count; i++) {
        const struct nvidia_table_type *said = &card->types[i];
        const struct policy_limit *limit = maxima_find_limit(policy, &said->type);

        if (!limit || !said->max || said->max == limit->max || !is_left(gpu, &said->type.id, limit))
            continue;
        report_warning(report, "max-instances", limit->origin, 0,
                       "max_instances gives the GPU %s %u of %s, and NVIDIA's table "
                       "(/" NVIDIA_TABLE_PATH ") %u",
                       gpu->name.text, limit->max, said->type.name, said->max);
    }
}

void
table_check(const struct host *host, const struct policy *policy, const struct inventory *inventory,
            struct report *report)
{
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    AUTO_FREE struct nvidia_table_ids *ids = memory_zeroed(inventory->gpu_count + 1, sizeof(*ids));
    struct error error = {0};
    bool has_nvidias = false;
    int rc;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        ids[i] = nvidia_table_ids_of(inventory->gpus[i]);
        has_nvidias |= !strcmp(ids[i].vendor, NVIDIA_VENDOR);
    }
    if (!has_nvidias)
        return;
    rc = nvidia_table_read(host, NVIDIA_TABLE_PATH, ids, inventory->gpu_count, &table, &error);
    if (rc < 0 && rc != -ENOENT)
        report_warning(report, "unreadable", "/" NVIDIA_TABLE_PATH, 0, "%s", error.text);
    for (size_t i = 0; i < table.count; i++) {
        const struct inventory_gpu *gpu = inventory->gpus[i];

        /* Equal cards have equal figures. */
        if (!ARRAY_HAS(inventory->gpus, i, other, inventory_is_same_model(*other, gpu)))
            compare(policy, gpu, &table.cards[i], report);
    }
}
