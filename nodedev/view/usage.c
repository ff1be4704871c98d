/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/usage.h"
#include "base/array.h"
#include "base/memory.h"
#include "device/type-name.h"

#include <limits.h>
#include <string.h>

/* Returns the MiB of the vGPUs that stay on a GPU when a start has made room. Returns -1 if a size
 * is not known. */
static int64_t
sum_staying(const struct host_view *view, const struct inventory_gpu *gpu)
{
    int64_t sum = 0;

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = gpu->vgpus[i];
        const struct inventory_type *type = inventory_type_of(vgpu);

        if (view->knows_policy && placement_vgpu_is_gone(&view->availability.after, vgpu))
            continue;
        if (!type || !type->framebuffer)
            return -1;
        sum += type->framebuffer;
    }
    return sum;
}

/* Returns the MiB that functions without a vGPU have by themselves, when a start has made room. A
 * guest on such a function gets them as well. */
static uint64_t
sum_of_idle(const struct gpu_load *then, size_t memory)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < then->gpu->parent_count; i++) {
        if (then->on[i].vgpus == 0)
            sum += gpu_load_held(then, memory, then->gpu->parents[i]);
    }
    return sum;
}

/* Returns what is left when a start has removed vGPUs to make room. No guest gets more than
 * this. */
static unsigned
find_rest(const struct host_view *view, const struct inventory_gpu *gpu,
          const struct gpu_usage *usage)
{
    const struct limit *memory = inventory_memory(gpu);
    int64_t staying = sum_staying(view, gpu);

    if (memory && view->knows_policy) {
        const struct gpu_load *then = loads_on(&view->availability.best, gpu);
        const size_t limit = (size_t)(memory - gpu->limits);
        uint64_t rest = gpu_room_rest(then, limit).most + sum_of_idle(then, limit);

        return rest < gpu->framebuffer ? (unsigned)rest : gpu->framebuffer;
    }
    return (unsigned)(staying >= 0 && staying <= usage->total ? usage->total - staying
                                                              : usage->total);
}

/* If vGPUs of several sizes fit side by side, one type alone may not fill the GPU. */
static bool
is_shared_by_sizes(const struct inventory_gpu *gpu)
{
    return !inventory_is_separate(gpu) && (!gpu->one_size || inventory_has_instance_types(gpu));
}

static unsigned
times(unsigned count, unsigned size)
{
    uint64_t product = (uint64_t)count * size;

    return count == BOUNDS_ANY || product >= BOUNDS_ANY ? BOUNDS_ANY : (unsigned)product;
}

static unsigned
larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned
sum(unsigned a, unsigned b)
{
    return b < BOUNDS_ANY - a ? a + b : BOUNDS_ANY;
}

/* Returns the most that any type can get, and the most that any type might get. If the GPU has
 * separate places for types, the figures of all types are added. */
static struct bounds
find_free(const struct host_view *view, const struct inventory_gpu *gpu,
          const struct gpu_usage *usage)
{
    unsigned rest = usage->is_in_vgpus ? BOUNDS_ANY : find_rest(view, gpu, usage);
    bool adds_up = inventory_is_separate(gpu), is_told = gpu->type_count > 0;
    struct bounds free = {0};

    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];
        unsigned size = usage->is_in_vgpus ? 1 : type->framebuffer;
        struct bounds left = host_view_left(view, type);
        unsigned least = times(left.least, size), most = times(left.most, size);

        is_told &= most != BOUNDS_ANY;
        free.least = adds_up ? sum(free.least, least) : larger(free.least, least);
        free.most = adds_up ? sum(free.most, most) : larger(free.most, most);
    }
    if (!is_told || (free.most > 0 && !usage->is_in_vgpus && is_shared_by_sizes(gpu)))
        free.most = rest;
    free.most = free.most < rest ? free.most : rest;
    free.least = free.least < free.most ? free.least : free.most;
    return free;
}

int
usage_share(const struct host_view *view, const struct gpu_usage *usage,
            const struct host_view_vgpu *vgpu)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(&view->snapshot.inventory, vgpu->gpu);
    const struct inventory_type *type = gpu ? inventory_find_type(gpu, vgpu->type) : NULL;

    if (usage->is_in_vgpus)
        return 1;
    if (type && type->framebuffer)
        return (int)type->framebuffer;
    return vgpu->lease && vgpu->lease->framebuffer ? (int)vgpu->lease->framebuffer : -1;
}

static int
sum_shares(const struct host_view *view, const struct inventory_gpu *gpu,
           const struct gpu_usage *usage)
{
    int sum = 0;

    for (size_t i = 0; i < view->vgpu_count; i++) {
        int share = usage_share(view, usage, &view->vgpus[i]);

        if (!name_equal(view->vgpus[i].gpu, &gpu->name))
            continue;
        if (share < 0 || sum > INT_MAX - share)
            return -1;
        sum += share;
    }
    return sum;
}

void
usage_of(const struct host_view *view, const struct inventory_gpu *gpu, struct gpu_usage *ret)
{
    *ret = (struct gpu_usage){
        .is_in_vgpus = gpu->framebuffer == 0 || gpu->framebuffer > INT_MAX,
        .total = (int)gpu->framebuffer,
    };
    ret->used = sum_shares(view, gpu, ret);
    ret->free = find_free(view, gpu, ret);
    if (ret->is_in_vgpus)
        ret->total = ret->used >= 0 && bounds_figure(&ret->free) >= 0
                         ? ret->used + (int)bounds_figure(&ret->free)
                         : -1;
}

/* --- the types of a GPU, the most interesting first ------------------------------------------- */

static unsigned
count_vgpus(const struct host_view *view, const struct inventory_type *type)
{
    unsigned count = 0;

    for (size_t i = 0; i < view->vgpu_count; i++)
        count += name_equal(view->vgpus[i].type, &type->id);
    return count;
}

/* Counts what a definition asks for. A device of a class counts for each type of the class. */
static void
count_definition(const struct host_view *view, const struct request *request,
                 struct wanted_type *wanted, size_t count)
{
    AUTO(demands_clear) struct demands demands = {0};
    unsigned rank;

    host_view_demands(view, request, &demands);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < demands.count; k++)
            wanted[i].asked += demand_ranks(&demands.items[k].terms, wanted[i].type, &rank);
        for (size_t k = 0; demands.count == 0 && k < request->device_count; k++) {
            const char *word = request->devices[k].attributes.said[ATTRIBUTE_TYPE];

            wanted[i].asked += word && type_name_matches(wanted[i].type, word);
        }
    }
}

/* A running domain has its vGPU already. */
static void
count_definitions(const struct host_view *view, struct wanted_type *wanted, size_t count)
{
    const struct domains *domains = &view->references.domains;

    for (size_t i = 0; i < domains->count; i++) {
        if (!domains->items[i].is_running)
            count_definition(view, &domains->items[i].config, wanted, count);
    }
}

static int
by_want(const void *a, const void *b)
{
    const struct wanted_type *one = a, *other = b;

    if (one->asked != other->asked)
        return one->asked > other->asked ? -1 : 1;
    if (one->is_in_class != other->is_in_class)
        return one->is_in_class ? -1 : 1;
    if (one->left.most != other->left.most)
        return bounds_most(&one->left) > bounds_most(&other->left) ? -1 : 1;
    return strverscmp(one->type->id.text, other->type->id.text);
}

struct wanted_type *
wanted_types_find(const struct host_view *view, const struct inventory_gpu *gpu)
{
    const struct policy *policy = &view->snapshot.policy;
    struct wanted_type *wanted = memory_zeroed(gpu->type_count, sizeof(*wanted));

    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];

        wanted[i].type = type;
        wanted[i].asked = count_vgpus(view, type);
        wanted[i].is_in_class =
            ARRAY_HAS(policy->classes, policy->class_count, class, demand_class_has(class, type));
        wanted[i].left = host_view_left(view, type);
    }
    count_definitions(view, wanted, gpu->type_count);
    if (gpu->type_count)
        qsort(wanted, gpu->type_count, sizeof(*wanted), by_want);
    for (size_t i = 0; i < gpu->type_count; i++) {
        unsigned size = wanted[i].type->framebuffer;

        wanted[i].is_first_of_size =
            !size || !ARRAY_HAS(wanted, i, before, before->type->framebuffer == size);
    }
    return wanted;
}
