/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pool: PCI functions without types, the last row of vgpu_built_in: AMD's, Intel's, or whatever
 * the configuration lists. Each is handed out as it is, to one guest at a time. Nothing is written
 * to the card.
 *
 * A vGPU is a function that somebody has. No driver tells that, so a tag does (tag.h). The tag's
 * name is the function's address, and the tag says the pool's name. The tag is to a function of a
 * pool what current_vgpu_type is to a function of NVIDIA's.
 */

#include "device/pool.h"
#include "base/array.h"
#include "device/gpu.h"
#include "device/pci.h"
#include "device/tag.h"
#include "device/vfio.h"

#include <stdio.h>
#include <string.h>

bool
pool_has(const struct host *host, const struct policy *policy, const struct name *function)
{
    struct name pool;

    return (policy && policy_pool_of(policy, function)) || tag_read(host, function, &pool) == 0;
}

/* --- the inventory ---------------------------------------------------------------------------- */

/* Returns 1 if a function of the pool may be given to guests. Returns 0 if not, and the inventory
 * says why. Returns -errno if that is not known. The card itself may be in a pool, but not while it
 * has virtual functions. If libvirt unbinds the driver of the card, the guests that have these
 * functions lose them. */
static int
check_function(const struct host *host, const struct policy_pool *pool, const struct name *function,
               struct inventory *inventory)
{
    struct inventory_ineligible ineligible = {.device = *function};
    struct name driver = pci_driver(host, function), card;
    int has_functions = 0;

    if (pci_find_card(host, function, &card) < 0)
        has_functions = host_find(host, PCI_DEVICES "/%s/virtfn0", function->text);
    if (has_functions < 0)
        return has_functions;
    if (has_functions)
        snprintf(ineligible.why, sizeof(ineligible.why),
                 "which is in the pool %.40s and has virtual functions, so it is not given away",
                 pool->name);
    else if (*pool->driver.text && !name_equal(&driver, &pool->driver))
        snprintf(ineligible.why, sizeof(ineligible.why),
                 "which is in the pool %.40s and bound to %.40s, not to %.40s", pool->name,
                 *driver.text ? driver.text : "no driver", pool->driver.text);
    else
        return 1;
    ARRAY_ADD(inventory->ineligible, inventory->ineligible_count, ineligible);
    return 0;
}

static struct inventory_type *
add_type(struct inventory_gpu *gpu, const struct name *name, unsigned framebuffer)
{
    struct inventory_type form = {.id = *name, .is_configured = true}, *type;

    snprintf(form.name, sizeof(form.name), "%s", name->text);
    type = inventory_add_type(gpu, &form);
    /* A tag may have brought the type before. */
    if (framebuffer)
        type->framebuffer = framebuffer;
    return type;
}

/* Adds a function of the pool `only`, with so much frame buffer. `type` is the pool that it
 * belonged to when somebody got it. available: 1; 0: somebody has it; -errno: that is not known. */
static void
add_function(const struct host *host, const struct name *function, const struct name *type,
             const struct name *only, unsigned framebuffer, int available,
             struct inventory *inventory)
{
    struct inventory_parent form = {
        .name = *function, .interface = &vgpu_pool, .is_separate = true};
    struct inventory_vgpu vgpu = {.device = *function, .type = *type};
    struct inventory_parent *parent;
    struct inventory_type *own;
    struct name gpu;

    pci_find_card(host, function, &gpu);
    form.gpu = gpu_add_pci(host, &gpu, inventory);
    parent = inventory_add_parent(inventory, &form);
    own = add_type(form.gpu, only, framebuffer);
    own->max++;
    parent->available[inventory_type_index(own)] = available;
    add_type(form.gpu, type, 0);
    vgpu.parent = parent;
    if (available == 0)
        inventory_add_vgpu(inventory, &vgpu);
}

/* A function that has a type of its own, or makes mediated devices, is in no pool. */
static int
pool_scan_device(const struct host *host, const struct policy *policy, const struct name *function,
                 struct inventory *inventory)
{
    const struct policy_pool *pool = policy ? policy_pool_of(policy, function) : NULL;
    struct name type, only;
    int tagged = tag_read(host, function, &type), rc;

    if (inventory_find_parent(inventory, function))
        return 0;
    /* What is no link (-EINVAL) is no tag. */
    if (!pool && tagged < 0)
        return tagged == -ENOENT || tagged == -EINVAL ? 0 : tagged;
    rc = tagged < 0 ? check_function(host, pool, function, inventory) : 1;
    if (rc <= 0)
        return rc;
    only = type;
    rc = pool ? name_parse(&only, pool->name) : 0;
    if (rc < 0)
        return rc;
    if (tagged < 0)
        type = only;
    add_function(host, function, &type, &only, pool ? pool->framebuffer : 0,
                 tagged == -ENOENT ? 1 : tagged, inventory);
    return 0;
}

static bool
pool_may_be(const struct host *host, const struct policy *policy)
{
    return (policy && policy->pool_count > 0) || tag_may_be(host);
}

/* --- one vGPU --------------------------------------------------------------------------------- */

static int
pool_find(const struct host *host, const struct name *device, struct vgpu *ret, struct name *gpu)
{
    *ret = (struct vgpu){.interface = &vgpu_pool, .device = *device, .parent = *device};
    pci_find_card(host, device, gpu);
    return tag_read(host, device, &ret->type);
}

/* A function that is in another pool now is another vGPU. */
static enum vgpu_state
pool_state(const struct host *host, const struct vgpu *vgpu, struct name *type)
{
    int rc = tag_read(host, &vgpu->device, type);

    if (rc == -ENOENT)
        return VGPU_ABSENT;
    if (rc < 0)
        return VGPU_UNKNOWN;
    return *vgpu->type.text && !name_equal(type, &vgpu->type) ? VGPU_ABSENT : VGPU_PRESENT;
}

/* A guest that asks for no vGPU, or another program, may have the function without us. */
static int
pool_make(const struct host *host, const struct vgpu *vgpu)
{
    struct path device;
    int rc = vgpu_pci_directory(vgpu, &device);

    if (rc < 0)
        return rc;
    if (!host_exists(host, "%s", device.text))
        return -ENODEV;
    if (vfio_may_be_open(host, &device))
        return -EBUSY;
    rc = tag_put(host, &vgpu->device, &vgpu->type);
    return rc == -EEXIST ? -EBUSY : rc;
}

static int
pool_remove(const struct host *host, const struct vgpu *vgpu)
{
    struct name type;

    return pool_state(host, vgpu, &type) == VGPU_PRESENT ? tag_remove(host, &vgpu->device)
                                                         : -ENODEV;
}

const struct vgpu_interface vgpu_pool = {
    .kind = "pool",
    .hostdev = REQUEST_PCI,
    .is_managed = true,
    .scan_device = pool_scan_device,
    .may_be = pool_may_be,
    .find = pool_find,
    .state = pool_state,
    .make = pool_make,
    .directory = vgpu_pci_directory,
    .remove = pool_remove,
};
