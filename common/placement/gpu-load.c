/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/gpu-load.h"
#include "base/array.h"
#include "base/memory.h"

#include <limits.h>
#include <string.h>

const struct inventory_gpu *
gpu_load_card(const struct gpu_load *load)
{
    return &load->inventory->gpus[load->gpu];
}

const struct limit *
gpu_load_limit(const struct gpu_load *load, size_t limit)
{
    return &gpu_load_card(load)->limits[limit];
}

struct load_parent *
gpu_load_on(const struct gpu_load *load, size_t parent)
{
    return &load->on[parent - load->parents[0]];
}

int
gpu_load_word(const struct gpu_load *load, size_t type, size_t parent)
{
    return load->inventory->parents[parent].available[type];
}

/* --- groups of types -------------------------------------------------------------------------- */

static size_t
find_alike(const struct inventory_gpu *card, const struct inventory_type *type)
{
    for (size_t i = 0; i < card->count; i++) {
        const struct inventory_type *other = &card->types[i];

        if (other == type || (type->framebuffer && other->framebuffer == type->framebuffer &&
                              other->slices == type->slices))
            return i;
    }
    return card->count;
}

/* The group of a vGPU: that of its type. If the type does not tell a size, it is the first group of
 * the vGPU's size. */
static struct load_group *
count_of(const struct gpu_load *load, const struct load_use *use)
{
    const struct inventory_gpu *card = gpu_load_card(load);
    const struct inventory_type unlisted = {.framebuffer = use->framebuffer};
    bool is_listed =
        use->type != LOAD_NO_TYPE && (card->types[use->type].framebuffer || !use->framebuffer);

    return &load->types[is_listed ? load->types[use->type].alike : find_alike(card, &unlisted)];
}

/* Whether a vGPU's frame buffer is known, so that it keeps other sizes away. */
static bool
has_size(const struct gpu_load *load, const struct load_use *use)
{
    const struct inventory_type *type =
        use->type == LOAD_NO_TYPE ? NULL : &gpu_load_card(load)->types[use->type];

    return (!type || inventory_type_shares_time(type)) &&
           (use->framebuffer || (type && type->framebuffer));
}

size_t
gpu_load_type(const struct gpu_load *load, const struct inventory_vgpu *vgpu)
{
    const struct inventory_gpu *card = gpu_load_card(load);
    const struct inventory_type *type = inventory_find_type(card, &vgpu->type);

    return type ? (size_t)(type - card->types) : LOAD_NO_TYPE;
}

/* --- a load and its steps --------------------------------------------------------------------- */

uint64_t
gpu_load_need(const struct gpu_load *load, size_t index, const struct load_use *use)
{
    const struct limit *limit = gpu_load_limit(load, index);
    uint64_t need = use->type != LOAD_NO_TYPE ? limit->needs[use->type]
                    : limit->is_memory        ? use->framebuffer
                                              : limit->other;
    uint64_t had = 0;

    if (limit->held)
        had = gpu_load_on(load, use->parent)->is_dropped ? limit->base[use->parent]
                                                         : limit->held[use->parent];
    return need > had ? need - had : 0;
}

/* What a limit gets back when a vGPU goes. */
static uint64_t
back_of(const struct gpu_load *load, size_t index, const struct load_use *use)
{
    const struct limit *limit = gpu_load_limit(load, index);

    if (!limit->held)
        return gpu_load_need(load, index, use);
    return limit->held[use->parent] > limit->base[use->parent]
               ? limit->held[use->parent] - limit->base[use->parent]
               : 0;
}

/* Whether the inventory shows a vGPU on a GPU instance; or, without on_instance, one that shares
 * the GPU in time. */
static bool
holds(const struct gpu_load *load, bool on_instance)
{
    const struct inventory *inventory = load->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        size_t type = LOAD_NO_TYPE;

        if (inventory->parents[inventory->vgpus[i].parent].gpu == load->gpu)
            type = gpu_load_type(load, &inventory->vgpus[i]);
        if (type != LOAD_NO_TYPE && (gpu_load_card(load)->types[type].slices > 0) == on_instance)
            return true;
    }
    return false;
}

/* Whether the card lacks what a type needs. Nobody offers the type, and the card has GPU instances.
 * The type needs a free instance, or a card that is not partitioned. The vGPUs on the card tell
 * whether it is. is_told: a free function tells what instances there are, or all have vGPUs. */
static bool
lacks_instance(const struct gpu_load *load, size_t type, bool is_told)
{
    bool on_instance = gpu_load_card(load)->types[type].slices > 0;

    return holds(load, !on_instance) || (is_told && (on_instance || !holds(load, false)));
}

/* Notes what the driver says of a type. One parent that offers it is enough. */
static void
hear_word(struct gpu_load *load, size_t type, bool has_instances)
{
    bool is_told = gpu_load_card(load)->is_occupied;

    for (size_t i = 0; i < load->parent_count && !load->types[type].is_offered; i++) {
        load->types[type].is_offered = gpu_load_word(load, type, load->parents[i]) > 0;
        is_told |= gpu_load_on(load, load->parents[i])->vgpus == 0;
    }
    load->types[type].lacks =
        has_instances && !load->types[type].is_offered && lacks_instance(load, type, is_told);
}

static void
find_parents(struct gpu_load *load)
{
    const struct inventory *inventory = load->inventory;

    for (size_t i = 0; i < inventory->parent_count; i++) {
        if (inventory->parents[i].gpu == load->gpu)
            ARRAY_ADD(load->parents, load->parent_count, i);
    }
    if (load->parent_count)
        load->on = memory_zeroed(load->parents[load->parent_count - 1] - load->parents[0] + 1,
                                 sizeof(*load->on));
}

static void
add_parents(struct gpu_load *load)
{
    for (size_t i = 0; i < load->parent_count; i++) {
        size_t parent = load->parents[i];

        gpu_load_on(load, parent)->is_single =
            !name_equal(&load->inventory->parents[parent].name, &gpu_load_card(load)->name);
        for (size_t k = 0; k < gpu_load_card(load)->limit_count; k++) {
            const struct limit *limit = gpu_load_limit(load, k);

            load->used[k] += limit->held ? limit->held[parent] : 0;
        }
    }
}

static void
add_vgpus(struct gpu_load *load)
{
    const struct inventory *inventory = load->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        struct load_use use = {.parent = vgpu->parent, .framebuffer = vgpu->framebuffer};

        if (inventory->parents[vgpu->parent].gpu != load->gpu)
            continue;
        use.type = gpu_load_type(load, vgpu);
        load->made++;
        load->sized_staying += has_size(load, &use);
        gpu_load_on(load, vgpu->parent)->vgpus++;
        count_of(load, &use)->staying++;
        for (size_t k = 0; k < gpu_load_card(load)->limit_count; k++)
            load->used[k] += gpu_load_limit(load, k)->held ? 0 : gpu_load_need(load, k, &use);
    }
}

void
gpu_load_init(struct gpu_load *load, const struct inventory *inventory, size_t gpu,
              enum load_time time)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    bool has_instances = ARRAY_HAS(card->types, card->count, type, type->slices > 0);

    *load = (struct gpu_load){
        .inventory = inventory,
        .gpu = gpu,
        .time = time,
        .types = memory_zeroed(card->count + 1, sizeof(*load->types)),
        .used = memory_zeroed(card->limit_count, sizeof(*load->used)),
    };
    for (size_t i = 0; i < card->count; i++)
        load->types[i].alike = find_alike(card, &card->types[i]);
    load->types[card->count].alike = card->count;
    find_parents(load);
    add_parents(load);
    add_vgpus(load);
    for (size_t i = 0; i < card->count; i++)
        hear_word(load, i, has_instances);
}

void
gpu_load_clear(struct gpu_load *load)
{
    free(load->parents);
    free(load->on);
    free(load->types);
    free(load->used);
    free(load->steps);
    *load = (struct gpu_load){0};
}

static size_t
push(struct gpu_load *load, const struct load_step *step)
{
    ARRAY_ADD(load->steps, load->step_count, *step);
    return load->step_count - 1;
}

size_t
gpu_load_put(struct gpu_load *load, const struct load_use *use)
{
    const struct load_step step = {.use = *use};

    for (size_t i = 0; i < gpu_load_card(load)->limit_count; i++)
        load->used[i] += gpu_load_need(load, i, use);
    load->puts++;
    load->sized_puts += has_size(load, use);
    gpu_load_on(load, use->parent)->vgpus++;
    count_of(load, use)->in++;
    load->types[use->type == LOAD_NO_TYPE ? gpu_load_card(load)->count : use->type].put++;
    return push(load, &step);
}

size_t
gpu_load_drop(struct gpu_load *load, size_t vgpu)
{
    const struct inventory_vgpu *gone = &load->inventory->vgpus[vgpu];
    const struct load_step step = {
        .is_drop = true, .use = {gone->parent, gpu_load_type(load, gone), gone->framebuffer}};
    struct load_group *count = count_of(load, &step.use);

    for (size_t i = 0; i < gpu_load_card(load)->limit_count; i++)
        load->used[i] -= back_of(load, i, &step.use);
    load->made--;
    load->drops++;
    load->sized_staying -= has_size(load, &step.use);
    gpu_load_on(load, gone->parent)->vgpus--;
    gpu_load_on(load, gone->parent)->is_dropped = true;
    count->staying--;
    count->freed++;
    return push(load, &step);
}

static void
take_back(struct gpu_load *load, const struct load_step *step)
{
    struct load_group *count = count_of(load, &step->use);

    if (step->is_drop) {
        gpu_load_on(load, step->use.parent)->is_dropped = false;
        gpu_load_on(load, step->use.parent)->vgpus++;
        load->drops--;
        load->made++;
        load->sized_staying += has_size(load, &step->use);
        count->staying++;
        count->freed--;
    } else {
        gpu_load_on(load, step->use.parent)->vgpus--;
        load->puts--;
        load->sized_puts -= has_size(load, &step->use);
        count->in--;
        load->types[step->use.type == LOAD_NO_TYPE ? gpu_load_card(load)->count : step->use.type]
            .put--;
    }
    for (size_t i = 0; i < gpu_load_card(load)->limit_count; i++) {
        if (step->is_drop)
            load->used[i] += back_of(load, i, &step->use);
        else
            load->used[i] -= gpu_load_need(load, i, &step->use);
    }
}

void
gpu_load_rewind(struct gpu_load *load, size_t mark)
{
    while (load->step_count > mark) {
        load->step_count--;
        take_back(load, &load->steps[load->step_count]);
    }
}
