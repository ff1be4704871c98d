/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/wanted-types.h"
#include "base/array.h"
#include "base/memory.h"

#include <string.h>

static unsigned
count_vgpus(const struct host_view *view, const struct inventory_type *type)
{
    unsigned count = 0;

    for (size_t i = 0; i < view->vgpu_count; i++)
        count += name_equal(view->vgpus[i].type, &type->id);
    return count;
}

/* A device of a class counts for each type of the class. */
static unsigned
count_devices(const struct policy *policy, const struct request *request,
              const struct inventory_type *type)
{
    unsigned count = 0;

    for (size_t i = 0; i < request->device_count; i++) {
        const struct request_device *device = &request->devices[i];

        if (device->type)
            count += inventory_type_is(type, device->type);
        for (size_t k = 0; device->class && k < policy->class_count; k++)
            count += !strcmp(policy->classes[k].name, device->class) &&
                     demand_class_has(&policy->classes[k], type);
    }
    return count;
}

static unsigned
count_asked(const struct host_view *view, const struct inventory_type *type)
{
    const struct policy *policy = &view->snapshot.policy;
    const struct domains *domains = &view->references.domains;
    unsigned count = count_vgpus(view, type);

    /* A running domain has its vGPU already. */
    for (size_t i = 0; i < domains->count; i++) {
        if (!domains->items[i].is_running)
            count += count_devices(policy, &domains->items[i].config, type);
    }
    return count;
}

static bool
is_in_class(const struct policy *policy, const struct inventory_type *type)
{
    return ARRAY_HAS(policy->classes, policy->class_count, class, demand_class_has(class, type));
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

static void
find_first_of_size(struct wanted_type *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned size = wanted[i].type->framebuffer;

        wanted[i].is_first_of_size = true;
        for (size_t k = 0; size && k < i; k++) {
            if (wanted[k].type->framebuffer == size)
                wanted[i].is_first_of_size = false;
        }
    }
}

struct wanted_type *
wanted_types_find(const struct host_view *view, const struct inventory_gpu *gpu)
{
    struct wanted_type *wanted = memory_zeroed(gpu->type_count, sizeof(*wanted));

    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];

        wanted[i].type = type;
        wanted[i].asked = count_asked(view, type);
        wanted[i].is_in_class = is_in_class(&view->snapshot.policy, type);
        wanted[i].left = host_view_left(view, type);
    }
    if (gpu->type_count)
        qsort(wanted, gpu->type_count, sizeof(*wanted), by_want);
    find_first_of_size(wanted, gpu->type_count);
    return wanted;
}

bool
wanted_type_matters(const struct wanted_type *wanted)
{
    return wanted->asked || wanted->is_in_class || wanted->left.most != 0;
}
