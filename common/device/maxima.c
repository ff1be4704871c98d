/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/maxima.h"
#include "base/array.h"
#include "base/memory.h"

static bool
means(const struct policy_limit *limit, const struct inventory_type *type)
{
    return ARRAY_HAS(limit->types.items, limit->types.count, word, inventory_type_is(type, *word));
}

/* Returns the administrator's maximum, or 0 if there is none. Later files override earlier ones. */
static unsigned
find_configured(const struct policy *policy, const struct inventory_type *type)
{
    for (size_t k = policy ? policy->limit_count : 0; k > 0; k--) {
        if (means(&policy->limits[k - 1], type) && policy->limits[k - 1].max)
            return policy->limits[k - 1].max;
    }
    return 0;
}

static bool
shares_in_time(const struct inventory_gpu *gpu, const struct inventory_type *type)
{
    return gpu->one_size && inventory_type_shares_time(type);
}

/* Returns the size of the largest type. Returns 0 unless two or more sizes are known, because the
 * largest type may not have been seen. */
static unsigned
find_largest(const struct inventory_gpu *gpu)
{
    unsigned largest = 0, smallest = UINT_MAX;

    for (size_t i = 0; i < gpu->count; i++) {
        unsigned size = inventory_type_shares_time(&gpu->types[i]) ? gpu->types[i].framebuffer : 0;

        largest = size > largest ? size : largest;
        smallest = size && size < smallest ? size : smallest;
    }
    return largest > smallest ? largest : 0;
}

static unsigned
larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Counts the vGPUs on a GPU of types that are alike (a flag for each), and what its driver offers
 * of them besides. A calculated maximum must not be less than this count. The largest type may not
 * have been seen, or the driver may be newer than this program. Several functions may offer the
 * same place. */
static unsigned
count_seen(const struct inventory *inventory, size_t gpu, const bool *alike)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    unsigned made = 0, offered = 0;
    size_t parents = 0;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct inventory_type *type = inventory_find_type(card, &vgpu->type);

        made += inventory->parents[vgpu->parent].gpu == gpu && type && alike[type - card->types];
    }
    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = &inventory->parents[i];

        parents += parent->gpu == gpu;
        for (size_t type = 0; parent->gpu == gpu && type < card->count; type++) {
            if (alike[type] && parent->available[type] > 0)
                offered = larger(offered, (unsigned)parent->available[type]);
        }
    }
    return made + (parents > 1 && offered ? 1 : offered);
}

/* Returns how often a type fits into the frame buffer. The largest type has the whole frame
 * buffer. */
static unsigned
calculate(const struct inventory *inventory, size_t gpu, size_t index, unsigned largest)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    AUTO_FREE bool *alike = memory_zeroed(card->count, sizeof(*alike));

    for (size_t i = 0; i < card->count; i++)
        alike[i] = inventory_type_shares_time(&card->types[i]) &&
                   card->types[i].framebuffer == card->types[index].framebuffer;
    return larger(largest / card->types[index].framebuffer, count_seen(inventory, gpu, alike));
}

static void
add(struct inventory *inventory, size_t gpu, size_t type, enum limit_source source, unsigned most)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    const struct inventory_type *kind = &card->types[type];
    bool all = shares_in_time(card, kind) && (kind->framebuffer || source == LIMIT_TOLD);
    const struct limit form = {.source = source,
                               .unit = "vGPUs",
                               .is_enough = shares_in_time(card, kind),
                               .total = most,
                               .other = all};
    struct limit *limit = inventory_add_limit(inventory, gpu, &form, false);

    for (size_t i = 0; i < card->count; i++)
        limit->needs[i] = all || i == type;
    limit->binds[type] = true;
}

/* Whether vGPUs of several sizes share the frame buffer of a GPU, and no other limit says how. */
static bool
shares_memory(const struct inventory *inventory, size_t gpu)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];

    return !card->one_size && card->framebuffer &&
           !ARRAY_HAS(card->limits, card->limit_count, limit, limit->is_memory) &&
           !inventory_is_apart(inventory, gpu);
}

static void
add_memory(struct inventory *inventory, size_t gpu)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    const struct limit form = {
        .source = LIMIT_CALCULATED, .unit = "MiB", .is_memory = true, .total = card->framebuffer};
    struct limit *limit = inventory_add_limit(inventory, gpu, &form, false);

    for (size_t i = 0; i < card->count; i++) {
        limit->needs[i] = card->types[i].framebuffer;
        limit->binds[i] = card->types[i].framebuffer > 0;
    }
}

/* Adds the most vGPUs of all sizes that a driver makes on a GPU. One such limit is for types that
 * share the GPU in time, the other for types that need a GPU instance, on all instances
 * together. */
static void
add_ceiling(struct inventory *inventory, size_t gpu, bool on_instances)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    AUTO_FREE bool *alike = memory_zeroed(card->count, sizeof(*alike));
    struct limit form = {.source = LIMIT_CALCULATED, .unit = "vGPUs", .other = !on_instances};
    unsigned ceiling = 0;
    struct limit *limit;

    for (size_t i = 0; i < card->count; i++) {
        const struct inventory_type *type = &card->types[i];

        alike[i] = on_instances ? type->slices > 0 : inventory_type_shares_time(type);
        if (alike[i] && !type->max)
            ceiling = larger(ceiling, type->ceiling);
    }
    ceiling *= on_instances ? card->instances : 1;
    if (ceiling == 0)
        return;
    form.total = larger(ceiling, count_seen(inventory, gpu, alike));
    limit = inventory_add_limit(inventory, gpu, &form, false);
    for (size_t i = 0; i < card->count; i++) {
        limit->needs[i] = alike[i];
        limit->binds[i] = alike[i] && card->types[i].ceiling && !card->types[i].max;
    }
}

static void
add_for_gpu(const struct policy *policy, struct inventory *inventory, size_t gpu)
{
    struct inventory_gpu *card = &inventory->gpus[gpu];
    unsigned largest = find_largest(card);

    if (shares_memory(inventory, gpu))
        add_memory(inventory, gpu);
    add_ceiling(inventory, gpu, false);
    add_ceiling(inventory, gpu, true);
    for (size_t i = 0; i < card->count; i++) {
        struct inventory_type *type = &card->types[i];
        unsigned configured = type->max ? 0 : find_configured(policy, type);

        if (type->max)
            add(inventory, gpu, i, LIMIT_TOLD, type->max);
        else if (configured)
            add(inventory, gpu, i, LIMIT_CONFIGURED, configured);
        else if (largest && type->framebuffer && shares_in_time(card, type))
            add(inventory, gpu, i, LIMIT_CALCULATED, calculate(inventory, gpu, i, largest));
        type->max = configured ? configured : type->max;
    }
}

void
maxima_add(const struct policy *policy, struct inventory *inventory)
{
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++)
        add_for_gpu(policy, inventory, gpu);
}
