/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/wanted-types.h"
#include "base/array.h"
#include "base/memory.h"
#include "device/type-name.h"

#include <string.h>

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
