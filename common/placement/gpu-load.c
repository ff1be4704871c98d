/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/gpu-load.h"
#include "base/array.h"
#include "base/memory.h"

const struct limit *
gpu_load_limit(const struct gpu_load *load, size_t limit)
{
    return &load->gpu->limits[limit];
}

struct load_parent *
gpu_load_on(const struct gpu_load *load, const struct inventory_parent *parent)
{
    return &load->on[parent->index];
}

/* --- groups of types -------------------------------------------------------------------------- */

static size_t
find_alike(const struct inventory_gpu *gpu, const struct inventory_type *type)
{
    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *other = &gpu->types[i];

        if (other == type || (type->framebuffer && other->framebuffer == type->framebuffer &&
                              other->slices == type->slices))
            return i;
    }
    return gpu->type_count;
}

/* The counts of one type; NULL: of all types that the GPU does not list. */
static struct load_group *
counts_of(const struct gpu_load *load, const struct inventory_type *type)
{
    return &load->types[type ? inventory_type_index(type) : load->gpu->type_count];
}

struct load_group *
gpu_load_group(const struct gpu_load *load, const struct inventory_type *type)
{
    return &load->types[counts_of(load, type)->alike];
}

/* The group of a vGPU: that of its type. If the type does not tell a size, it is the first group of
 * the vGPU's size. */
static struct load_group *
group_of(const struct gpu_load *load, const struct load_use *use)
{
    const struct inventory_type *type = use->place.type;
    const struct inventory_type unlisted = {.framebuffer = use->framebuffer};

    return type && (type->framebuffer || !use->framebuffer)
               ? gpu_load_group(load, type)
               : &load->types[find_alike(load->gpu, &unlisted)];
}

/* Whether a vGPU's frame buffer is known, so that it keeps other sizes away. */
static bool
has_size(const struct load_use *use)
{
    const struct inventory_type *type = use->place.type;

    return (!type || inventory_type_shares_time(type)) &&
           (use->framebuffer || (type && type->framebuffer));
}

/* --- a load and its steps --------------------------------------------------------------------- */

/* What a parent may get back by itself that its vGPU did not have. Nothing if there is no room for
 * it, or if the parent got another vGPU. */
static uint64_t
growth_of(const struct gpu_load *load, size_t index, const struct inventory_parent *parent)
{
    const struct limit *limit = gpu_load_limit(load, index);
    const struct load_parent *on = gpu_load_on(load, parent);
    uint64_t base;

    if (!limit->held || !on->is_dropped || on->vgpus)
        return 0;
    base = limit->base[parent->index];
    return base > limit->held[parent->index] && load->used[index] + base <= limit->total ? base : 0;
}

static uint64_t
sum_of_growth(const struct gpu_load *load, size_t index)
{
    uint64_t sum = 0;

    for (size_t i = 0; load->drops > 0 && !load->is_best && i < load->gpu->parent_count; i++)
        sum += growth_of(load, index, load->gpu->parents[i]);
    return sum;
}

/* What a parent has of a limit by itself, in the best case. */
static uint64_t
least_held(const struct gpu_load *load, size_t index, const struct inventory_parent *parent)
{
    const struct limit *limit = gpu_load_limit(load, index);
    uint64_t held = limit->held ? limit->held[parent->index] : 0;

    if (!limit->held || !gpu_load_on(load, parent)->is_dropped)
        return held;
    return limit->base[parent->index] > held ? 0 : limit->base[parent->index];
}

uint64_t
gpu_load_rest(const struct gpu_load *load, size_t index)
{
    uint64_t total = gpu_load_limit(load, index)->total;
    uint64_t used = load->used[index] + sum_of_growth(load, index);

    return total > used ? total - used : 0;
}

uint64_t
gpu_load_held(const struct gpu_load *load, size_t index, const struct inventory_parent *parent)
{
    uint64_t total = gpu_load_limit(load, index)->total;
    uint64_t growth = load->is_best ? 0 : growth_of(load, index, parent);

    if (growth && load->used[index] + sum_of_growth(load, index) <= total)
        return growth;
    return least_held(load, index, parent);
}

static uint64_t
need_of(const struct gpu_load *load, size_t index, const struct load_use *use)
{
    const struct limit *limit = gpu_load_limit(load, index);

    return use->place.type    ? limit->needs[inventory_type_index(use->place.type)]
           : limit->is_memory ? use->framebuffer
                              : limit->other;
}

static uint64_t
beyond(uint64_t need, uint64_t held)
{
    return need > held ? need - held : 0;
}

uint64_t
gpu_load_need(const struct gpu_load *load, size_t index, const struct load_use *use)
{
    return beyond(need_of(load, index, use), gpu_load_held(load, index, use->place.parent));
}

/* What a vGPU adds to what is used. */
static uint64_t
added_by(const struct gpu_load *load, size_t index, const struct load_use *use)
{
    return beyond(need_of(load, index, use), least_held(load, index, use->place.parent));
}

/* What a limit gets back when a vGPU goes. */
static uint64_t
back_of(const struct gpu_load *load, size_t index, const struct load_use *use)
{
    const struct limit *limit = gpu_load_limit(load, index);
    size_t parent = use->place.parent->index;

    if (!limit->held)
        return need_of(load, index, use);
    return limit->base[parent] > limit->held[parent] ? limit->held[parent]
                                                     : limit->held[parent] - limit->base[parent];
}

/* Whether the inventory shows a vGPU on a GPU instance; or, without on_instance, one that shares
 * the GPU in time. */
static bool
holds(const struct inventory_gpu *gpu, bool on_instance)
{
    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct inventory_type *type = inventory_type_of(gpu->vgpus[i]);

        if (type && (type->slices > 0) == on_instance)
            return true;
    }
    return false;
}

/* For a type that no parent offers, of a card with types for GPU instances: whether the card lacks
 * what the type needs. That is a free instance of its size, or a card that is not partitioned. The
 * vGPUs on the card tell whether the card is partitioned. is_told: a free function tells which
 * instances there are, or each instance has a vGPU. */
static bool
lacks_instance(const struct inventory_type *type, bool is_told)
{
    bool on_instance = type->slices > 0;

    return holds(type->gpu, !on_instance) || (is_told && (on_instance || !holds(type->gpu, false)));
}

/* Notes what the driver says of a type. One parent that offers it is enough. */
static void
hear_word(struct gpu_load *load, const struct inventory_type *type, bool has_instances)
{
    struct load_group *counts = counts_of(load, type);
    bool is_told = load->gpu->is_occupied;

    for (size_t i = 0; i < load->gpu->parent_count && !counts->is_offered; i++) {
        const struct place place = {load->gpu->parents[i], type};

        counts->is_offered = place_available(&place) > 0;
        is_told |= load->on[i].vgpus == 0;
    }
    counts->lacks = has_instances && !counts->is_offered && lacks_instance(type, is_told);
}

static void
add_parents(struct gpu_load *load)
{
    const struct inventory_gpu *gpu = load->gpu;

    for (size_t i = 0; i < gpu->parent_count; i++) {
        load->on[i].takes_one = !name_equal(&gpu->parents[i]->name, &gpu->name);
        for (size_t k = 0; k < gpu->limit_count; k++)
            load->used[k] += gpu->limits[k].held ? gpu->limits[k].held[i] : 0;
    }
}

static struct load_use
use_of(const struct inventory_vgpu *vgpu)
{
    return (struct load_use){{vgpu->parent, inventory_type_of(vgpu)}, vgpu->framebuffer};
}

static void
add_vgpus(struct gpu_load *load)
{
    const struct inventory_gpu *gpu = load->gpu;

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct load_use use = use_of(gpu->vgpus[i]);

        load->kept++;
        load->sized_kept += has_size(&use);
        gpu_load_on(load, use.place.parent)->vgpus++;
        group_of(load, &use)->kept++;
        for (size_t k = 0; k < gpu->limit_count; k++)
            load->used[k] += gpu->limits[k].held ? 0 : need_of(load, k, &use);
    }
}

/* How many vGPUs of a type the driver makes by its own word; 0: it does not tell. */
static unsigned
told_most(const struct inventory_type *type)
{
    if (type->max_source != LIMIT_TOLD)
        return 0;
    return type->ceiling && type->ceiling < type->max ? type->ceiling : type->max;
}

/* Whether the driver offers fewer of some type than fit beside the vGPUs that are there. Then
 * something else has frame buffer of the card, such as a process of the host. No file tells what
 * that is, so it may grow. Only a card that is its own parent offers a number. An offer of 0 is
 * passed over: it promises nothing, or it was not read. */
static bool
is_short(const struct gpu_load *load)
{
    const struct inventory_gpu *gpu = load->gpu;

    if (gpu->parent_count != 1 || !gpu->one_size || load->on->takes_one)
        return false;
    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];
        int word = gpu->parents[0]->available[i];

        if (word > 0 && type->framebuffer && inventory_type_shares_time(type) &&
            load->kept == load->sized_kept && load->kept + (uint64_t)word < told_most(type))
            return true;
    }
    return false;
}

void
gpu_load_init(struct gpu_load *load, const struct inventory_gpu *gpu, enum load_time time)
{
    bool has_instances = inventory_has_instance_types(gpu);

    *load = (struct gpu_load){
        .gpu = gpu,
        .time = time,
        .is_best = time == LOAD_EVER,
        .is_withheld = inventory_withholds(gpu),
        .on = memory_zeroed(gpu->parent_count, sizeof(*load->on)),
        .types = memory_zeroed(gpu->type_count + 1, sizeof(*load->types)),
        .used = memory_zeroed(gpu->limit_count, sizeof(*load->used)),
    };
    for (size_t i = 0; i < gpu->type_count; i++)
        load->types[i].alike = find_alike(gpu, &gpu->types[i]);
    load->types[gpu->type_count].alike = gpu->type_count;
    add_parents(load);
    add_vgpus(load);
    for (size_t i = 0; i < gpu->type_count; i++)
        hear_word(load, &gpu->types[i], has_instances);
    load->is_short = is_short(load);
}

void
gpu_load_clear(struct gpu_load *load)
{
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

    for (size_t i = 0; i < load->gpu->limit_count; i++)
        load->used[i] += added_by(load, i, use);
    load->puts++;
    load->sized_puts += has_size(use);
    gpu_load_on(load, use->place.parent)->vgpus++;
    group_of(load, use)->puts++;
    counts_of(load, use->place.type)->own_puts++;
    return push(load, &step);
}

size_t
gpu_load_drop(struct gpu_load *load, const struct inventory_vgpu *vgpu)
{
    const struct load_step step = {.is_drop = true, .use = use_of(vgpu)};
    struct load_group *group = group_of(load, &step.use);

    for (size_t i = 0; i < load->gpu->limit_count; i++)
        load->used[i] -= back_of(load, i, &step.use);
    load->kept--;
    load->drops++;
    load->sized_kept -= has_size(&step.use);
    gpu_load_on(load, vgpu->parent)->vgpus--;
    gpu_load_on(load, vgpu->parent)->is_dropped = true;
    group->kept--;
    group->drops++;
    counts_of(load, step.use.place.type)->own_drops++;
    return push(load, &step);
}

static void
take_back(struct gpu_load *load, const struct load_step *step)
{
    struct load_group *group = group_of(load, &step->use);
    struct load_parent *on = gpu_load_on(load, step->use.place.parent);

    if (step->is_drop) {
        on->is_dropped = false;
        on->vgpus++;
        load->drops--;
        load->kept++;
        load->sized_kept += has_size(&step->use);
        group->kept++;
        group->drops--;
        counts_of(load, step->use.place.type)->own_drops--;
    } else {
        on->vgpus--;
        load->puts--;
        load->sized_puts -= has_size(&step->use);
        group->puts--;
        counts_of(load, step->use.place.type)->own_puts--;
    }
    for (size_t i = 0; i < load->gpu->limit_count; i++) {
        if (step->is_drop)
            load->used[i] += back_of(load, i, &step->use);
        else
            load->used[i] -= added_by(load, i, &step->use);
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
