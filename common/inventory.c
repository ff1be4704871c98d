/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inventory.h"
#include "array.h"
#include "vgpu.h"

#include <limits.h>
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

const struct inventory_filter inventory_all_types = {wants_each, NULL};
const struct inventory_filter inventory_no_types = {wants_none, NULL};

int
inventory_scan(const struct host *host, const struct inventory_filter *filter,
               struct inventory *ret, struct error *error)
{
    *ret = (struct inventory){0};
    for (size_t i = 0; i < vgpu_interface_count; i++) {
        int rc = vgpu_interfaces[i]->scan(host, filter, ret);

        if (rc < 0) {
            inventory_clear(ret);
            return error_set(error, rc, "cannot read the GPUs: %s", strerror(-rc));
        }
    }
    return 0;
}

void
inventory_clear(struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->gpu_count; i++)
        free(inventory->gpus[i].types);
    for (size_t i = 0; i < inventory->parent_count; i++)
        free(inventory->parents[i].available);
    free(inventory->gpus);
    free(inventory->parents);
    free(inventory->vgpus);
    *inventory = (struct inventory){0};
}

int
inventory_add_gpu(struct inventory *inventory, const struct name *name, size_t *ret)
{
    struct inventory_gpu gpu = {.name = *name, .numa = -1};
    int rc;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        if (name_equal(&inventory->gpus[i].name, name)) {
            *ret = i;
            return 0;
        }
    }
    rc = ARRAY_ADD(inventory->gpus, inventory->gpu_count, gpu);
    *ret = inventory->gpu_count - 1;
    return rc;
}

int
inventory_add_going(struct inventory *inventory, const struct name *device,
                    const struct name *parent)
{
    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_vgpu vgpu = {.device = *device, .parent = i};

        if (name_equal(&inventory->parents[i].name, parent))
            return ARRAY_ADD(inventory->vgpus, inventory->vgpu_count, vgpu);
    }
    return 0;
}

const struct inventory_vgpu *
inventory_find_vgpu(const struct inventory *inventory, const struct name *device)
{
    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        if (name_equal(&inventory->vgpus[i].device, device))
            return &inventory->vgpus[i];
    }
    return NULL;
}

const struct inventory_type *
inventory_find_type(const struct inventory_gpu *gpu, const struct name *id)
{
    for (size_t i = 0; i < gpu->count; i++) {
        if (name_equal(&gpu->types[i].id, id))
            return &gpu->types[i];
    }
    return NULL;
}

int
inventory_at_most(const struct inventory *inventory, size_t gpu, size_t type)
{
    int most = -ENODATA;

    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = &inventory->parents[i];

        if (parent->gpu != gpu || parent->available[type] < 0)
            continue;
        most = most < 0                                   ? parent->available[type]
               : parent->available[type] < INT_MAX - most ? most + parent->available[type]
                                                          : INT_MAX;
    }
    return most;
}

bool
inventory_type_is(const struct inventory_type *type, const char *word)
{
    const char *blank = strrchr(type->name, ' ');

    return !strcmp(type->id.text, word) || !strcmp(type->name, word) ||
           (blank && !strcmp(blank + 1, word));
}
