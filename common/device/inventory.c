/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/inventory.h"
#include "base/array.h"
#include "base/memory.h"

#include <search.h>
#include <string.h>

static bool
wants_each(const struct inventory_type *type, const void *data)
{
    (void)type;
    (void)data;
    return true;
}

static bool
wants_none(const struct inventory_type *type, const void *data)
{
    (void)type;
    (void)data;
    return false;
}

const struct inventory_filter inventory_all_types = {.wants = wants_each};
const struct inventory_filter inventory_no_types = {.wants = wants_none};

/* --- what is found by its name ---------------------------------------------------------------- */

/* GPUs, parents and vGPUs begin with their names, and so does a name that is looked for. */
static int
compare_names(const void *left, const void *right)
{
    const struct name *a = left, *b = right;

    return strcmp(a->text, b->text);
}

static void *
find_by_name(void *const *tree, const struct name *name)
{
    void *const *found = tfind(name, tree, compare_names);

    return found ? *found : NULL;
}

/* Of several things with one name the first is found. */
static void
index_by_name(void **tree, void *thing)
{
    if (!tsearch(thing, tree, compare_names))
        memory_fail();
}

static void
keep(void *thing)
{
    (void)thing;
}

struct inventory_gpu *
inventory_find_gpu(const struct inventory *inventory, const struct name *name)
{
    return find_by_name(&inventory->gpus_by_name, name);
}

struct inventory_parent *
inventory_find_parent(const struct inventory *inventory, const struct name *name)
{
    return find_by_name(&inventory->parents_by_name, name);
}

const struct inventory_vgpu *
inventory_find_vgpu(const struct inventory *inventory, const struct name *device)
{
    return find_by_name(&inventory->vgpus_by_name, device);
}

/* --- the inventory ---------------------------------------------------------------------------- */

static void
free_gpu(struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < gpu->limit_count; i++) {
        free(gpu->limits[i].needs);
        free(gpu->limits[i].binds);
        free(gpu->limits[i].held);
        free(gpu->limits[i].base);
    }
    free(gpu->limits);
    free(gpu->types);
    free(gpu->parents);
    free(gpu->vgpus);
    free(gpu);
}

void
inventory_clear(struct inventory *inventory)
{
    tdestroy(inventory->gpus_by_name, keep);
    tdestroy(inventory->parents_by_name, keep);
    tdestroy(inventory->vgpus_by_name, keep);
    for (size_t i = 0; i < inventory->gpu_count; i++)
        free_gpu(inventory->gpus[i]);
    for (size_t i = 0; i < inventory->parent_count; i++) {
        free(inventory->parents[i]->available);
        free(inventory->parents[i]);
    }
    for (size_t i = 0; i < inventory->vgpu_count; i++)
        free(inventory->vgpus[i]);
    free(inventory->gpus);
    free(inventory->parents);
    free(inventory->vgpus);
    free(inventory->ineligible);
    free(inventory->remembered);
    free(inventory->extract);
    *inventory = (struct inventory){0};
}

struct inventory_gpu *
inventory_add_gpu(struct inventory *inventory, const struct name *name)
{
    struct inventory_gpu *gpu = inventory_find_gpu(inventory, name);

    if (gpu)
        return gpu;
    gpu = memory_zeroed(1, sizeof(*gpu));
    *gpu = (struct inventory_gpu){.name = *name, .index = inventory->gpu_count, .numa = -1};
    ARRAY_ADD(inventory->gpus, inventory->gpu_count, gpu);
    index_by_name(&inventory->gpus_by_name, gpu);
    return gpu;
}

static uint64_t *
lengthen(uint64_t *values, size_t count)
{
    values = memory_resized(values, count, sizeof(*values));
    values[count - 1] = 0;
    return values;
}

/* Makes room for one more parent in each limit that has arrays per parent. The GPU has the parent
 * already. */
static void
grow_for_parents(struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < gpu->limit_count; i++) {
        struct limit *limit = &gpu->limits[i];

        if (!limit->held)
            continue;
        limit->held = lengthen(limit->held, gpu->parent_count);
        limit->base = lengthen(limit->base, gpu->parent_count);
    }
}

/* The same for one more type. */
static void
grow_for_types(struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < gpu->limit_count; i++) {
        struct limit *limit = &gpu->limits[i];

        limit->needs = lengthen(limit->needs, gpu->type_count);
        limit->binds = memory_resized(limit->binds, gpu->type_count, sizeof(*limit->binds));
        limit->binds[gpu->type_count - 1] = false;
    }
}

struct limit *
inventory_add_limit(struct inventory_gpu *gpu, const struct limit *limit, bool parents_keep)
{
    struct limit copy = *limit;

    copy.needs = memory_zeroed(gpu->type_count, sizeof(*copy.needs));
    copy.binds = memory_zeroed(gpu->type_count, sizeof(*copy.binds));
    copy.held = NULL;
    copy.base = NULL;
    if (parents_keep) {
        copy.held = memory_zeroed(gpu->parent_count, sizeof(*copy.held));
        copy.base = memory_zeroed(gpu->parent_count, sizeof(*copy.base));
    }
    ARRAY_ADD(gpu->limits, gpu->limit_count, copy);
    return &gpu->limits[gpu->limit_count - 1];
}

struct inventory_parent *
inventory_add_parent(struct inventory *inventory, const struct inventory_parent *parent)
{
    struct inventory_gpu *gpu = parent->gpu;
    struct inventory_parent *copy = memory_zeroed(1, sizeof(*copy));

    *copy = *parent;
    copy->index = gpu->parent_count;
    copy->available = memory_zeroed(gpu->type_count, sizeof(*copy->available));
    for (size_t i = 0; copy->is_separate && i < gpu->type_count; i++)
        copy->available[i] = INVENTORY_NEVER;
    ARRAY_ADD(gpu->parents, gpu->parent_count, copy);
    ARRAY_ADD(inventory->parents, inventory->parent_count, copy);
    index_by_name(&inventory->parents_by_name, copy);
    grow_for_parents(gpu);
    return copy;
}

void
inventory_add_vgpu(struct inventory *inventory, const struct inventory_vgpu *vgpu)
{
    struct inventory_gpu *gpu = vgpu->parent->gpu;
    struct inventory_vgpu *copy = memory_zeroed(1, sizeof(*copy));

    *copy = *vgpu;
    ARRAY_ADD(gpu->vgpus, gpu->vgpu_count, copy);
    ARRAY_ADD(inventory->vgpus, inventory->vgpu_count, copy);
    index_by_name(&inventory->vgpus_by_name, copy);
}

/* Makes room for one more type in each parent of a GPU. No vGPU of it is available yet. */
static void
grow_available(struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < gpu->parent_count; i++) {
        struct inventory_parent *parent = gpu->parents[i];

        parent->available =
            memory_resized(parent->available, gpu->type_count, sizeof(*parent->available));
        parent->available[gpu->type_count - 1] = parent->is_separate ? INVENTORY_NEVER : 0;
    }
}

struct inventory_type *
inventory_add_type(struct inventory_gpu *gpu, const struct inventory_type *type)
{
    struct inventory_type *known =
        ARRAY_FIND(gpu->types, gpu->type_count, each, name_equal(&each->id, &type->id));
    struct inventory_type copy = *type;

    copy.gpu = gpu;
    if (known) {
        if (!inventory_type_has_name(known) && inventory_type_has_name(type))
            *known = copy;
        return known;
    }
    ARRAY_ADD(gpu->types, gpu->type_count, copy);
    grow_available(gpu);
    grow_for_types(gpu);
    return &gpu->types[gpu->type_count - 1];
}

void
inventory_add_going(struct inventory *inventory, const struct name *device,
                    const struct name *parent)
{
    const struct inventory_vgpu vgpu = {.device = *device,
                                        .parent = inventory_find_parent(inventory, parent)};

    if (vgpu.parent)
        inventory_add_vgpu(inventory, &vgpu);
}

size_t
inventory_type_index(const struct inventory_type *type)
{
    return (size_t)(type - type->gpu->types);
}

const struct inventory_type *
inventory_type_of(const struct inventory_vgpu *vgpu)
{
    return inventory_find_type(vgpu->parent->gpu, &vgpu->type);
}

int
place_available(const struct place *place)
{
    return place->parent->available[inventory_type_index(place->type)];
}

const struct inventory_type *
inventory_next_type(const struct inventory *inventory, const struct inventory_type *type)
{
    size_t gpu = 0;

    if (type && type + 1 < type->gpu->types + type->gpu->type_count)
        return type + 1;
    if (type)
        gpu = type->gpu->index + 1;
    while (gpu < inventory->gpu_count && inventory->gpus[gpu]->type_count == 0)
        gpu++;
    return gpu < inventory->gpu_count ? inventory->gpus[gpu]->types : NULL;
}

const struct inventory_type *
inventory_find_type(const struct inventory_gpu *gpu, const struct name *id)
{
    return ARRAY_FIND(gpu->types, gpu->type_count, type, name_equal(&type->id, id));
}

bool
inventory_is_same_model(const struct inventory_gpu *a, const struct inventory_gpu *b)
{
    return *a->device && !strcmp(a->vendor, b->vendor) && !strcmp(a->device, b->device) &&
           !strcmp(a->subsystem_vendor, b->subsystem_vendor) &&
           !strcmp(a->subsystem_device, b->subsystem_device);
}

const struct inventory_type *
inventory_find_twin(const struct inventory *inventory, const struct inventory_gpu *gpu,
                    const struct name *id)
{
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_gpu *other = inventory->gpus[i];
        const struct inventory_type *type = other != gpu && inventory_is_same_model(other, gpu)
                                                ? inventory_find_type(other, id)
                                                : NULL;

        if (type && inventory_type_has_name(type))
            return type;
    }
    return NULL;
}

/* Whether a parent of a GPU would make a vGPU now. Types that need a GPU instance count only with
 * `instances`. */
static bool
makes_any(const struct inventory_gpu *gpu, bool instances)
{
    for (size_t i = 0; i < gpu->parent_count; i++) {
        for (size_t type = 0; type < gpu->type_count; type++) {
            if (gpu->parents[i]->available[type] > 0 && (instances || !gpu->types[type].slices))
                return true;
        }
    }
    return false;
}

bool
inventory_offers(const struct inventory_gpu *gpu)
{
    return gpu->is_partial ? gpu->vgpu_count > 0 || makes_any(gpu, true) : gpu->type_count > 0;
}

bool
inventory_has_instance_types(const struct inventory_gpu *gpu)
{
    return ARRAY_HAS(gpu->types, gpu->type_count, type, type->slices > 0);
}

bool
inventory_lacks_types(const struct inventory_gpu *gpu)
{
    return gpu->instances > 0 && !inventory_offers(gpu);
}

static bool
is_all_zero(const struct inventory_parent *parent)
{
    for (size_t i = 0; i < parent->gpu->type_count; i++) {
        if (parent->available[i] != 0 || parent->gpu->types[i].slices)
            return false;
    }
    return true;
}

bool
inventory_withholds(const struct inventory_gpu *gpu)
{
    if (!gpu->one_size || gpu->is_partial || gpu->vgpu_count || !gpu->type_count)
        return false;
    for (size_t i = 0; i < gpu->parent_count; i++) {
        if (!is_all_zero(gpu->parents[i]))
            return false;
    }
    return gpu->parent_count > 0;
}

bool
inventory_may_have_more(const struct inventory_gpu *gpu)
{
    if (gpu->is_silent || inventory_lacks_types(gpu))
        return true;
    return gpu->is_partial &&
           (gpu->vgpu_count > 0 ? !inventory_find_largest(gpu) : !makes_any(gpu, false));
}

bool
inventory_type_shares_time(const struct inventory_type *type)
{
    return !type->slices && !type->is_configured;
}

/* The sizes of two cards in use, or of one card on two days, may both lack the largest. */
unsigned
inventory_find_largest(const struct inventory_gpu *gpu)
{
    unsigned largest = 0, smallest = UINT_MAX;

    for (size_t i = 0; i < gpu->type_count; i++) {
        unsigned size = inventory_type_shares_time(&gpu->types[i]) ? gpu->types[i].framebuffer : 0;

        largest = size > largest ? size : largest;
        smallest = size && size < smallest ? size : smallest;
    }
    return largest > smallest && (!gpu->is_partial || gpu->has_all_sizes) ? largest : 0;
}

const struct limit *
inventory_memory(const struct inventory_gpu *gpu)
{
    return ARRAY_FIND(gpu->limits, gpu->limit_count, limit,
                      limit->is_memory && limit->source != LIMIT_CALCULATED);
}

bool
inventory_is_separate(const struct inventory_gpu *gpu)
{
    return ARRAY_HAS(gpu->parents, gpu->parent_count, parent, (*parent)->is_separate);
}

const struct inventory_type *
inventory_type_for_good(const struct inventory_parent *parent)
{
    for (size_t i = 0; parent->is_separate && i < parent->gpu->type_count; i++) {
        if (parent->available[i] != INVENTORY_NEVER)
            return &parent->gpu->types[i];
    }
    return NULL;
}

bool
inventory_type_has_name(const struct inventory_type *type)
{
    return strcmp(type->name, type->id.text) != 0;
}
