/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/maxima.h"
#include "base/array.h"
#include "base/memory.h"
#include "device/type-name.h"

const char *const maxima_sources[] = {
    [LIMIT_TOLD] = "driver",
    [LIMIT_CONFIGURED] = "vgpu.conf",
    [LIMIT_TABLE] = "table",
    [LIMIT_CALCULATED] = "calculated",
};

static bool
means(const struct policy_limit *limit, const struct inventory_type *type)
{
    return ARRAY_HAS(limit->types.items, limit->types.count, word, type_name_matches(type, *word));
}

const struct policy_limit *
maxima_find_limit(const struct policy *policy, const struct inventory_type *type)
{
    for (size_t k = policy ? policy->limit_count : 0; k > 0; k--) {
        if (means(&policy->limits[k - 1], type) && policy->limits[k - 1].max)
            return &policy->limits[k - 1];
    }
    return NULL;
}

static bool
shares_in_time(const struct inventory_gpu *gpu, const struct inventory_type *type)
{
    return gpu->one_size && inventory_type_shares_time(type);
}

static unsigned
larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Counts the vGPUs on a GPU of types that are alike (a flag for each), and what its driver offers
 * of them besides. A maximum that no driver tells must not be less than this count. The largest
 * type may not have been seen, or the driver may be newer than this program or the table. Several
 * functions may offer the same place. */
static unsigned
count_seen(const struct inventory_gpu *gpu, const bool *alike)
{
    unsigned made = 0, offered = 0;

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct inventory_type *type = inventory_type_of(gpu->vgpus[i]);

        made += type && alike[inventory_type_index(type)];
    }
    for (size_t i = 0; i < gpu->parent_count; i++) {
        for (size_t type = 0; type < gpu->type_count; type++) {
            if (alike[type] && gpu->parents[i]->available[type] > 0)
                offered = larger(offered, (unsigned)gpu->parents[i]->available[type]);
        }
    }
    return made + (gpu->parent_count > 1 && offered ? 1 : offered);
}

/* The same of all types that have the size of a type and share the GPU in time. */
static unsigned
count_seen_alike(const struct inventory_type *type)
{
    const struct inventory_gpu *gpu = type->gpu;
    AUTO_FREE bool *alike = memory_zeroed(gpu->type_count, sizeof(*alike));

    for (size_t i = 0; i < gpu->type_count; i++)
        alike[i] = &gpu->types[i] == type ||
                   (type->framebuffer && inventory_type_shares_time(&gpu->types[i]) &&
                    gpu->types[i].framebuffer == type->framebuffer);
    return count_seen(gpu, alike);
}

/* Returns how often a type fits into the frame buffer. The largest type has the whole frame
 * buffer. If a driver has more than that (find_framebuffer in scan.c), at least what is seen
 * counts. */
static unsigned
calculate(const struct inventory_type *type, unsigned largest)
{
    return larger(largest / type->framebuffer, count_seen_alike(type));
}

static void
add(struct inventory_gpu *gpu, const struct inventory_type *type, enum limit_source source,
    unsigned most)
{
    bool shared = shares_in_time(gpu, type);
    bool all = shared && (type->framebuffer || source == LIMIT_TOLD);
    const struct limit form = {
        .source = source, .unit = "vGPUs", .is_enough = shared, .total = most, .other = all};
    struct limit *limit = inventory_add_limit(gpu, &form, false);

    for (size_t i = 0; i < gpu->type_count; i++)
        limit->needs[i] = all || &gpu->types[i] == type;
    limit->binds[inventory_type_index(type)] = true;
}

/* Whether a driver tells how large a GPU's frame buffer is: it lists all types, and the maximum of
 * one type fills it. A type whose size is not known may be larger. */
static bool
tells_memory(const struct inventory_gpu *gpu)
{
    bool told = false;

    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];

        if (!inventory_type_shares_time(type))
            continue;
        if (!type->framebuffer)
            return false;
        told |= (uint64_t)type->framebuffer * type->max == gpu->framebuffer;
    }
    return told && !gpu->is_partial;
}

/* Whether vGPUs of several sizes share the frame buffer of a GPU, and no other limit says how. If
 * the driver tells the frame buffer, the limit also binds a GPU that takes one size now, and
 * perhaps several on another day. */
static bool
shares_memory(const struct inventory_gpu *gpu)
{
    return gpu->framebuffer && (!gpu->one_size || tells_memory(gpu)) &&
           !ARRAY_HAS(gpu->limits, gpu->limit_count, limit, limit->is_memory) &&
           !inventory_is_separate(gpu);
}

static void
add_memory(struct inventory_gpu *gpu)
{
    const struct limit form = {
        .source = LIMIT_CALCULATED, .unit = "MiB", .is_memory = true, .total = gpu->framebuffer};
    struct limit *limit = inventory_add_limit(gpu, &form, false);

    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];

        limit->needs[i] = type->framebuffer;
        limit->binds[i] =
            type->framebuffer > 0 && (!gpu->one_size || inventory_type_shares_time(type));
    }
}

static bool
is_told(const struct inventory_type *type)
{
    return type->max && type->max_source == LIMIT_TOLD;
}

static unsigned
said_by_table(const struct inventory_type *type)
{
    return type->max_source == LIMIT_TABLE ? type->max : 0;
}

/* Adds the most vGPUs of all sizes that a driver makes on a GPU. One such limit is for types that
 * share the GPU in time, the other for types that need a GPU instance, on all instances
 * together. */
static void
add_ceiling(struct inventory_gpu *gpu, bool on_instances)
{
    AUTO_FREE bool *alike = memory_zeroed(gpu->type_count, sizeof(*alike));
    struct limit form = {.source = LIMIT_CALCULATED, .unit = "vGPUs", .other = !on_instances};
    unsigned ceiling = 0;
    struct limit *limit;

    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];

        alike[i] = on_instances ? type->slices > 0 : inventory_type_shares_time(type);
        if (alike[i] && !is_told(type))
            ceiling = larger(ceiling, larger(type->ceiling, said_by_table(type)));
    }
    ceiling *= on_instances ? gpu->instances : 1;
    if (ceiling == 0)
        return;
    form.total = larger(ceiling, count_seen(gpu, alike));
    limit = inventory_add_limit(gpu, &form, false);
    for (size_t i = 0; i < gpu->type_count; i++) {
        limit->needs[i] = alike[i];
        limit->binds[i] = alike[i] && gpu->types[i].ceiling && !is_told(&gpu->types[i]);
    }
}

/* Makes the maximum of a type no more than any limit leaves. If parents keep something of a limit,
 * its total does not say how many vGPUs there can be. Nor does a limit of GPU instances (MIG): they
 * may not exist. */
static void
narrow_maximum(const struct inventory_gpu *gpu, struct inventory_type *type)
{
    size_t index = inventory_type_index(type);

    if (!inventory_type_shares_time(type))
        return;
    for (size_t i = 0; i < gpu->limit_count; i++) {
        const struct limit *limit = &gpu->limits[i];
        uint64_t need = limit->needs[index], most;

        if (!limit->binds[index] || limit->base || need == 0)
            continue;
        most = limit->total / need;
        if (most < (type->max ? type->max : UINT_MAX)) {
            type->max = (unsigned)most;
            type->max_source = limit->source;
        }
    }
}

/* The administrator is asked where the driver is silent, and then the table of the vendor. */
static void
settle_maximum(const struct policy *policy, struct inventory_type *type)
{
    const struct policy_limit *limit = is_told(type) ? NULL : maxima_find_limit(policy, type);

    if (limit) {
        type->max = limit->max;
        type->max_source = LIMIT_CONFIGURED;
    } else if (said_by_table(type)) {
        type->max = larger(type->max, count_seen_alike(type));
    }
}

static void
add_for_gpu(const struct policy *policy, struct inventory_gpu *gpu)
{
    unsigned largest = inventory_find_largest(gpu);

    if (shares_memory(gpu))
        add_memory(gpu);
    add_ceiling(gpu, false);
    add_ceiling(gpu, true);
    for (size_t i = 0; i < gpu->type_count; i++) {
        struct inventory_type *type = &gpu->types[i];

        settle_maximum(policy, type);
        if (type->max)
            add(gpu, type, type->max_source, type->max);
        else if (largest && type->framebuffer && shares_in_time(gpu, type))
            add(gpu, type, LIMIT_CALCULATED, calculate(type, largest));
    }
    for (size_t i = 0; i < gpu->type_count; i++)
        narrow_maximum(gpu, &gpu->types[i]);
}

void
maxima_add(const struct policy *policy, struct inventory *inventory)
{
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++)
        add_for_gpu(policy, inventory->gpus[gpu]);
}
