/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/inventory.h"
#include "base/array.h"
#include "base/memory.h"

#include <limits.h>
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

/* --- where a name is -------------------------------------------------------------------------- */

struct place {
    struct name name; /* first, because a name is looked for */
    size_t index;
};

/* A name that is looked for is no place, and may stand anywhere. */
static int
compare_names(const void *left, const void *right)
{
    const struct name *a = left, *b = right;

    return strcmp(a->text, b->text);
}

/* Whether all of these many names are in the index. */
static bool
is_whole(const struct inventory_index *index, size_t count)
{
    return index->count == count;
}

static const struct place *
find_place(const struct inventory_index *index, const struct name *name)
{
    const struct place *const *found = tfind(name, &index->tree, compare_names);

    return found ? *found : NULL;
}

/* Adds the last of these many names. */
static void
add_place(struct inventory_index *index, const struct name *name, size_t count)
{
    struct place *place;
    struct place **found;

    if (!is_whole(index, count - 1))
        return;
    place = memory_zeroed(1, sizeof(*place));
    *place = (struct place){*name, count - 1};
    found = (struct place **)tsearch(place, &index->tree, compare_names);
    if (!found)
        memory_fail();
    else if (*found != place)
        free(place);
    index->count++;
}

/* --- the inventory ---------------------------------------------------------------------------- */

static void
clear_gpu(struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < gpu->limit_count; i++) {
        free(gpu->limits[i].needs);
        free(gpu->limits[i].binds);
        free(gpu->limits[i].held);
        free(gpu->limits[i].base);
    }
    free(gpu->limits);
    free(gpu->types);
}

void
inventory_clear(struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->gpu_count; i++)
        clear_gpu(&inventory->gpus[i]);
    for (size_t i = 0; i < inventory->parent_count; i++)
        free(inventory->parents[i].available);
    free(inventory->gpus);
    free(inventory->parents);
    free(inventory->vgpus);
    free(inventory->ineligible);
    tdestroy(inventory->gpu_index.tree, free);
    tdestroy(inventory->parent_index.tree, free);
    *inventory = (struct inventory){0};
}

size_t
inventory_add_gpu(struct inventory *inventory, const struct name *name)
{
    struct inventory_gpu gpu = {.name = *name, .numa = -1};
    size_t index;

    if (inventory_find_gpu(inventory, name, &index))
        return index;
    ARRAY_ADD(inventory->gpus, inventory->gpu_count, gpu);
    add_place(&inventory->gpu_index, name, inventory->gpu_count);
    return inventory->gpu_count - 1;
}

static uint64_t *
lengthen(uint64_t *values, size_t count)
{
    values = memory_resized(values, count, sizeof(*values));
    values[count - 1] = 0;
    return values;
}

/* Makes room for one more parent in each limit that has arrays per parent. */
static void
grow_for_parents(struct inventory *inventory)
{
    for (size_t gpu = 0; inventory->parents_keep && gpu < inventory->gpu_count; gpu++) {
        for (size_t i = 0; i < inventory->gpus[gpu].limit_count; i++) {
            struct limit *limit = &inventory->gpus[gpu].limits[i];

            if (!limit->held)
                continue;
            limit->held = lengthen(limit->held, inventory->parent_count);
            limit->base = lengthen(limit->base, inventory->parent_count);
        }
    }
}

/* Makes room for one more type in each limit. The GPU has the type already. */
static void
grow_for_types(struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < gpu->limit_count; i++) {
        struct limit *limit = &gpu->limits[i];

        limit->needs = lengthen(limit->needs, gpu->count);
        limit->binds = memory_resized(limit->binds, gpu->count, sizeof(*limit->binds));
        limit->binds[gpu->count - 1] = false;
    }
}

struct limit *
inventory_add_limit(struct inventory *inventory, size_t gpu, const struct limit *limit,
                    bool parents_keep)
{
    struct inventory_gpu *card = &inventory->gpus[gpu];
    struct limit copy = *limit;

    copy.needs = memory_zeroed(card->count, sizeof(*copy.needs));
    copy.binds = memory_zeroed(card->count, sizeof(*copy.binds));
    copy.held = NULL;
    copy.base = NULL;
    inventory->parents_keep |= parents_keep;
    if (parents_keep) {
        copy.held = memory_zeroed(inventory->parent_count, sizeof(*copy.held));
        copy.base = memory_zeroed(inventory->parent_count, sizeof(*copy.base));
    }
    ARRAY_ADD(card->limits, card->limit_count, copy);
    return &card->limits[card->limit_count - 1];
}

size_t
inventory_add_parent(struct inventory *inventory, const struct inventory_parent *parent)
{
    struct inventory_parent copy = *parent;

    copy.available = memory_zeroed(inventory->gpus[parent->gpu].count, sizeof(*copy.available));
    for (size_t i = 0; copy.apart && i < inventory->gpus[parent->gpu].count; i++)
        copy.available[i] = INVENTORY_NEVER;
    ARRAY_ADD(inventory->parents, inventory->parent_count, copy);
    add_place(&inventory->parent_index, &parent->name, inventory->parent_count);
    grow_for_parents(inventory);
    return inventory->parent_count - 1;
}

/* Makes room for one more type in each parent of a GPU. No vGPU of it is available yet. */
static void
grow_available(struct inventory *inventory, size_t gpu, size_t count)
{
    for (size_t i = 0; i < inventory->parent_count; i++) {
        struct inventory_parent *parent = &inventory->parents[i];

        if (parent->gpu != gpu)
            continue;
        parent->available = memory_resized(parent->available, count, sizeof(*parent->available));
        parent->available[count - 1] = parent->apart ? INVENTORY_NEVER : 0;
    }
}

size_t
inventory_add_type(struct inventory *inventory, size_t gpu, const struct inventory_type *type)
{
    struct inventory_gpu *card = &inventory->gpus[gpu];

    for (size_t i = 0; i < card->count; i++) {
        struct inventory_type *known = &card->types[i];

        if (!name_equal(&known->id, &type->id))
            continue;
        if (!inventory_type_has_name(known) && inventory_type_has_name(type))
            *known = *type;
        return i;
    }
    grow_available(inventory, gpu, card->count + 1);
    ARRAY_ADD(card->types, card->count, *type);
    grow_for_types(card);
    return card->count - 1;
}

void
inventory_add_going(struct inventory *inventory, const struct name *device,
                    const struct name *parent)
{
    struct inventory_vgpu vgpu = {.device = *device};

    if (inventory_find_parent(inventory, parent, &vgpu.parent))
        ARRAY_ADD(inventory->vgpus, inventory->vgpu_count, vgpu);
}

bool
inventory_find_gpu(const struct inventory *inventory, const struct name *name, size_t *ret)
{
    if (is_whole(&inventory->gpu_index, inventory->gpu_count)) {
        const struct place *place = find_place(&inventory->gpu_index, name);

        *ret = place ? place->index : inventory->gpu_count;
        return place;
    }
    for (*ret = 0; *ret < inventory->gpu_count; ++*ret) {
        if (name_equal(&inventory->gpus[*ret].name, name))
            return true;
    }
    return false;
}

bool
inventory_next_type(const struct inventory *inventory, struct inventory_walk *walk)
{
    walk->index = walk->type ? walk->index + 1 : 0;
    for (; walk->gpu < inventory->gpu_count; walk->gpu++, walk->index = 0) {
        const struct inventory_gpu *gpu = &inventory->gpus[walk->gpu];

        if (walk->index < gpu->count) {
            walk->type = &gpu->types[walk->index];
            return true;
        }
    }
    return false;
}

void
inventory_suggest_type(const struct inventory_type *type, struct suggest *suggest)
{
    suggest_offer(suggest, type->id.text);
    suggest_offer(suggest, type->name);
    suggest_offer(suggest, inventory_last_word(type->name));
}

bool
inventory_find_parent(const struct inventory *inventory, const struct name *name, size_t *ret)
{
    if (is_whole(&inventory->parent_index, inventory->parent_count)) {
        const struct place *place = find_place(&inventory->parent_index, name);

        *ret = place ? place->index : inventory->parent_count;
        return place;
    }
    for (*ret = 0; *ret < inventory->parent_count; ++*ret) {
        if (name_equal(&inventory->parents[*ret].name, name))
            return true;
    }
    return false;
}

const struct inventory_vgpu *
inventory_find_vgpu(const struct inventory *inventory, const struct name *device)
{
    return ARRAY_FIND(inventory->vgpus, inventory->vgpu_count, vgpu,
                      name_equal(&vgpu->device, device));
}

const struct inventory_type *
inventory_find_type(const struct inventory_gpu *gpu, const struct name *id)
{
    return ARRAY_FIND(gpu->types, gpu->count, type, name_equal(&type->id, id));
}

bool
inventory_is_same_model(const struct inventory_gpu *a, const struct inventory_gpu *b)
{
    return *a->device && !strcmp(a->vendor, b->vendor) && !strcmp(a->device, b->device) &&
           !strcmp(a->subsystem_vendor, b->subsystem_vendor) &&
           !strcmp(a->subsystem_device, b->subsystem_device);
}

const struct inventory_type *
inventory_find_twin(const struct inventory *inventory, size_t gpu, const struct name *id)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_gpu *other = &inventory->gpus[i];
        const struct inventory_type *type = other != card && inventory_is_same_model(other, card)
                                                ? inventory_find_type(other, id)
                                                : NULL;

        if (type && inventory_type_has_name(type))
            return type;
    }
    return NULL;
}

/* Whether a GPU has any vGPU. */
static bool
is_used(const struct inventory *inventory, size_t gpu)
{
    return ARRAY_HAS(inventory->vgpus, inventory->vgpu_count, vgpu,
                     inventory->parents[vgpu->parent].gpu == gpu);
}

/* Whether a parent of a GPU would make a vGPU now. Types that need a GPU instance count only with
 * `instances`. */
static bool
makes_any(const struct inventory *inventory, size_t gpu, bool instances)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];

    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = &inventory->parents[i];

        for (size_t type = 0; parent->gpu == gpu && type < card->count; type++) {
            if (parent->available[type] > 0 && (instances || !card->types[type].slices))
                return true;
        }
    }
    return false;
}

bool
inventory_offers(const struct inventory *inventory, size_t gpu)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];

    return card->is_partial ? is_used(inventory, gpu) || makes_any(inventory, gpu, true)
                            : card->count > 0;
}

/* Whether several sizes are listed. If a driver lists only the size of the vGPUs that are there, it
 * listed the other sizes when there was none. */
static bool
knows_several_sizes(const struct inventory_gpu *card)
{
    unsigned first = 0;

    for (size_t i = 0; i < card->count && card->one_size; i++) {
        const struct inventory_type *type = &card->types[i];

        if (!inventory_type_shares_time(type) || !type->framebuffer)
            continue;
        if (first && type->framebuffer != first)
            return true;
        first = type->framebuffer;
    }
    return false;
}

bool
inventory_lacks_types(const struct inventory *inventory, size_t gpu)
{
    return inventory->gpus[gpu].instances > 0 && !inventory_offers(inventory, gpu);
}

bool
inventory_may_have_more(const struct inventory *inventory, size_t gpu)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];

    if (card->is_silent || inventory_lacks_types(inventory, gpu))
        return true;
    return card->is_partial && (is_used(inventory, gpu) ? !knows_several_sizes(card)
                                                        : !makes_any(inventory, gpu, false));
}

bool
inventory_type_shares_time(const struct inventory_type *type)
{
    return !type->slices && !type->is_configured;
}

const struct limit *
inventory_memory(const struct inventory_gpu *gpu)
{
    return ARRAY_FIND(gpu->limits, gpu->limit_count, limit,
                      limit->is_memory && limit->source != LIMIT_CALCULATED);
}

bool
inventory_is_apart(const struct inventory *inventory, size_t gpu)
{
    return ARRAY_HAS(inventory->parents, inventory->parent_count, parent,
                     parent->gpu == gpu && parent->apart);
}

const struct inventory_type *
inventory_type_for_good(const struct inventory *inventory, const struct inventory_parent *parent)
{
    const struct inventory_gpu *card = &inventory->gpus[parent->gpu];

    for (size_t i = 0; parent->apart && i < card->count; i++) {
        if (parent->available[i] != INVENTORY_NEVER)
            return &card->types[i];
    }
    return NULL;
}

bool
inventory_type_has_name(const struct inventory_type *type)
{
    return strcmp(type->name, type->id.text) != 0;
}

const char *
inventory_last_word(const char *name)
{
    const char *blank = strrchr(name, ' ');

    return blank ? blank + 1 : name;
}

bool
inventory_type_is(const struct inventory_type *type, const char *word)
{
    return !strcmp(type->id.text, word) || !strcmp(type->name, word) ||
           !strcmp(inventory_last_word(type->name), word);
}
