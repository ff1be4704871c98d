/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/scan.h"
#include "base/array.h"
#include "base/reader.h"
#include "device/maxima.h"
#include "device/pci.h"
#include "device/type-cache.h"
#include "device/vendor.h"
#include "device/vfio.h"
#include "device/vgpu.h"

#include <string.h>

/* Whether a type that shares its GPU in time has another size than the first such type. */
static bool
is_second_size(const struct inventory_type *type, unsigned *first)
{
    if (!type || !inventory_type_shares_time(type) || !type->framebuffer)
        return false;
    if (!*first)
        *first = type->framebuffer;
    return *first != type->framebuffer;
}

/* If a GPU has a vGPU and still offers another size, the GPU takes different sizes. If a vGPU was
 * made during the scan, this may be wrong. The kernel then refuses the wrong size. */
static void
find_mixed(struct inventory_gpu *gpu)
{
    unsigned size = 0;
    bool mixed = false;

    for (size_t i = 0; i < gpu->vgpu_count; i++)
        mixed |= is_second_size(inventory_type_of(gpu->vgpus[i]), &size);
    for (size_t i = 0; gpu->vgpu_count && i < gpu->parent_count; i++) {
        for (size_t type = 0; type < gpu->type_count; type++)
            mixed |=
                gpu->parents[i]->available[type] > 0 && is_second_size(&gpu->types[type], &size);
    }
    gpu->one_size &= !mixed;
}

/* The frame buffer that a GPU certainly has: what its vGPUs have, and the most that one parent
 * offers of one type besides. Several functions may offer the same place, so their offers are not
 * added. */
static uint64_t
find_seen(const struct inventory_gpu *gpu)
{
    uint64_t made = 0, offered = 0;

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct inventory_type *type = inventory_type_of(gpu->vgpus[i]);

        made += type ? type->framebuffer : 0;
    }
    for (size_t i = 0; i < gpu->parent_count; i++) {
        for (size_t type = 0; type < gpu->type_count; type++) {
            const int available = gpu->parents[i]->available[type];
            uint64_t more = available > 0 ? (uint64_t)available * gpu->types[type].framebuffer : 0;

            offered = more > offered ? more : offered;
        }
    }
    return made + offered;
}

/* The largest type has the whole frame buffer, if that type is known. But a driver may have more
 * than its largest type takes. Then more is seen than the largest type has. The frame buffer is at
 * least what vGPUs of one type can have together, by the driver. A total that is calculated so is
 * never less than what is seen. The frame buffers of pools are added. */
static void
find_framebuffer(struct inventory_gpu *gpu)
{
    const uint64_t seen = find_seen(gpu);
    const unsigned largest = inventory_find_largest(gpu);
    uint64_t pooled = 0;

    if (inventory_memory(gpu))
        return;
    if (largest && !gpu->is_silent && seen <= largest)
        gpu->framebuffer = largest;
    for (size_t i = 0; i < gpu->type_count; i++) {
        struct inventory_type *type = &gpu->types[i];
        uint64_t together = (uint64_t)type->framebuffer * type->max;

        if (type->is_configured)
            pooled += together;
        else if (together > gpu->framebuffer && together <= UINT_MAX)
            gpu->framebuffer = (unsigned)together;
    }
    if (pooled > gpu->framebuffer && pooled <= UINT_MAX)
        gpu->framebuffer = (unsigned)pooled;
    if (gpu->framebuffer && seen > gpu->framebuffer && seen <= UINT_MAX)
        gpu->framebuffer = (unsigned)seen;
}

/* A GPU without vGPUs lists all its sizes. If it lists only one, it may have a vGPU that could not
 * be read. */
static void
find_all_sizes(struct inventory_gpu *gpu)
{
    unsigned first = 0;

    gpu->has_all_sizes = gpu->vgpu_count == 0 &&
                         ARRAY_HAS(gpu->types, gpu->type_count, type, is_second_size(type, &first));
}

/* A type that one card lists exists on each card of the model, even if that card does not list it
 * now. A type without a name here may have its name there. */
static void
share_types(const struct inventory_gpu *from, struct inventory_gpu *to)
{
    if (from == to || !to->is_partial || !inventory_is_same_model(from, to))
        return;
    for (size_t i = 0; i < from->type_count; i++)
        inventory_add_type(to, &from->types[i]);
    to->has_all_sizes |= from->has_all_sizes;
}

static bool
is_any_partial(const struct inventory *inventory)
{
    return ARRAY_HAS(inventory->gpus, inventory->gpu_count, gpu, (*gpu)->is_partial);
}

static void
complete_types(const struct host *host, struct inventory *inventory)
{
    type_cache_recall(host, inventory);
    if (!is_any_partial(inventory))
        return;
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        for (size_t k = 0; inventory->gpus[i]->type_count && k < inventory->gpu_count; k++)
            share_types(inventory->gpus[i], inventory->gpus[k]);
    }
}

/* If a card does not answer, nothing is sure about it. */
static void
mark_silent(struct inventory *inventory, const struct reader *reader)
{
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        struct inventory_gpu *gpu = inventory->gpus[i];

        gpu->is_silent = reader_is_silent(reader, &gpu->name);
        for (size_t k = 0; gpu->is_silent && k < gpu->parent_count; k++) {
            for (size_t type = 0; type < gpu->type_count; type++)
                gpu->parents[k]->available[type] = -ETIMEDOUT;
        }
    }
}

/* Whether a parent is_managed, nobody is known to have it, and its type is asked for. */
static bool
may_be_lent(const struct inventory_parent *parent, const struct inventory_filter *filter)
{
    const struct inventory_gpu *gpu = parent->gpu;

    for (size_t i = 0; parent->interface->is_managed && i < gpu->type_count; i++) {
        if (parent->available[i] > 0 && filter->wants(&gpu->types[i], filter->data))
            return true;
    }
    return false;
}

/* Finds who has a function without our knowledge: a guest that asks for no vGPU, or another
 * program. One look at all open files is enough for all functions. */
static void
find_users(const struct host *host, const struct inventory_filter *filter,
           struct inventory *inventory)
{
    AUTO(open_files_clear) struct open_files files = {0};

    for (size_t i = 0; i < inventory->parent_count; i++) {
        struct inventory_parent *parent = inventory->parents[i];
        struct path device;
        int pid;

        if (!may_be_lent(parent, filter) ||
            path_format(&device, PCI_DEVICES "/%s", parent->name.text) < 0)
            continue;
        pid = vfio_holder(host, &files, &device);
        inventory->hides_users |= pid < 0;
        if (pid > 0)
            open_files_name(host, pid, parent->user, sizeof(parent->user));
    }
}

int
scan_host(const struct host *host, const struct policy *policy,
          const struct inventory_filter *filter, struct inventory *ret, struct error *error)
{
    AUTO(names_clear) struct names devices = {0};
    int rc = host_list(host, &devices, PCI_DEVICES);

    *ret = (struct inventory){.remembered = type_cache_read(host)};
    rc = rc == -ENOENT ? 0 : rc;
    for (const struct vgpu_interface *const *row = vgpu_interfaces(host); rc == 0 && *row; row++)
        rc = vgpu_scan(*row, host, policy, filter, &devices, ret);
    if (rc < 0) {
        inventory_clear(ret);
        return error_set(error, rc, "cannot read the GPUs: %s", strerror(-rc));
    }
    for (size_t gpu = 0; gpu < ret->gpu_count; gpu++)
        find_mixed(ret->gpus[gpu]);
    for (size_t gpu = 0; gpu < ret->gpu_count; gpu++)
        find_all_sizes(ret->gpus[gpu]);
    complete_types(host, ret);
    for (size_t gpu = 0; gpu < ret->gpu_count; gpu++)
        vendor_find_instances(host, ret->gpus[gpu]);
    vendor_read_tables(host, filter, ret);
    mark_silent(ret, host->reader);
    for (size_t gpu = 0; gpu < ret->gpu_count; gpu++)
        find_framebuffer(ret->gpus[gpu]);
    maxima_add(policy, ret);
    find_users(host, filter, ret);
    return 0;
}
