/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * xe: virtual functions of Intel's cards under the xe driver, the third row of vgpu_built_in. The
 * types are the profiles of vgpu.conf. A profile is a set of numbers. They are written for a
 * function before a guest has it, and the former numbers are written back afterwards (profile.h).
 *
 * No driver tells who has a function, so two tags do (tag.h).
 *
 * The numbers of the card itself, and how many functions it has, are up to the administrator.
 * Nothing is written there, nor to a function that a guest has open.
 */

#include "base/array.h"
#include "device/gpu.h"
#include "device/pci.h"
#include "device/pool.h"
#include "device/profile.h"
#include "device/tag.h"
#include "device/vfio.h"
#include "device/vgpu.h"

#include <stdio.h>
#include <string.h>

/* --- the inventory ---------------------------------------------------------------------------- */

struct card {
    struct name name;
    unsigned vram; /* MiB that its functions can have together; 0: not told */
    bool has_vram; /* functions have a quota of the memory, and it can be set */
};

static void
set_number(struct profile *profile, enum profile_number number, uint64_t value)
{
    profile->numbers[number] = value;
    profile->set[number] = value > 0;
}

static int
add_profile(const struct card *card, const struct policy_profile *profile,
            struct inventory_gpu *gpu)
{
    struct inventory_type type = {.framebuffer = card->has_vram ? profile->vram : 0,
                                  .is_configured = true};
    struct profile numbers = {0};
    int rc = name_parse(&type.id, profile->name);

    if (rc < 0 || !profile_is_taken(profile))
        return rc;
    snprintf(type.name, sizeof(type.name), "%s", profile->name);
    set_number(&numbers, PROFILE_VRAM, (uint64_t)type.framebuffer << 20);
    set_number(&numbers, PROFILE_EXEC_QUANTUM, profile->exec_quantum);
    set_number(&numbers, PROFILE_PREEMPT_TIMEOUT, (uint64_t)profile->preempt_timeout * 1000);
    profile_print(&numbers, &type.recipe);
    inventory_add_type(gpu, &type);
    return 0;
}

/* Returns the limit of the card's memory: a type needs as much as its profile says. Returns NULL if
 * the card does not tell its memory. */
static struct limit *
find_memory(const struct inventory_gpu *gpu)
{
    return ARRAY_FIND(gpu->limits, gpu->limit_count, limit, limit->is_memory);
}

static void
tell_needs(const struct inventory_gpu *gpu)
{
    struct limit *memory = find_memory(gpu);

    for (size_t i = 0; memory && i < gpu->type_count; i++) {
        memory->needs[i] = gpu->types[i].framebuffer;
        memory->binds[i] = true;
    }
}

static void
add_memory(struct inventory_gpu *gpu, unsigned vram)
{
    const struct limit form = {
        .source = LIMIT_TOLD, .unit = "MiB", .is_memory = true, .is_enough = true, .total = vram};

    if (vram)
        inventory_add_limit(gpu, &form, true);
    tell_needs(gpu);
}

/* Adds the card with its types, unless it is there. */
static int
add_card(const struct host *host, const struct policy *policy, const struct card *card,
         struct inventory *inventory, struct inventory_gpu **ret)
{
    size_t known = inventory->gpu_count;
    struct inventory_gpu *gpu = gpu_add_pci(host, &card->name, inventory);
    int rc = 0;

    *ret = gpu;
    if (gpu->index != known)
        return 0;
    gpu->framebuffer = card->vram;
    for (size_t i = 0; policy && rc == 0 && i < policy->profile_count; i++)
        rc = add_profile(card, &policy->profiles[i], gpu);
    add_memory(gpu, card->vram);
    return rc;
}

/* Adds a vGPU. If no configuration has its profile any more, only the profile's name is known. */
static void
add_vgpu(struct inventory *inventory, const struct inventory_parent *function,
         const struct name *type, unsigned vram)
{
    const struct inventory_vgpu vgpu = {
        .device = function->name, .type = *type, .parent = function};
    struct inventory_type named = {.id = *type, .framebuffer = vram, .is_configured = true};

    snprintf(named.name, sizeof(named.name), "%s", type->text);
    if (*type->text && !inventory_find_type(function->gpu, type))
        inventory_add_type(function->gpu, &named);
    tell_needs(function->gpu);
    inventory_add_vgpu(inventory, &vgpu);
}

/* Reads the memory that a function had before its vGPU was made. The function gets it back
 * later. */
static unsigned
read_former_vram(const struct host *host, const struct name *function)
{
    struct name tag = xe_tag_former(function), text;
    struct profile former;

    if (tag_read(host, &tag, &text) < 0 || profile_parse(&text, &former) < 0)
        return 0;
    return (unsigned)(former.numbers[PROFILE_VRAM] >> 20);
}

/* Whether the host's own driver has the function. It makes the function run, and a running function
 * takes no memory. */
static bool
is_hosts_own(const struct host *host, const struct name *function)
{
    return !strcmp(pci_driver(host, function).text, "xe");
}

static int
add_function(const struct host *host, const struct policy *policy, const struct card *card,
             unsigned number, const struct name *function, struct inventory *inventory)
{
    const struct profile_function self = {card->name, number};
    struct inventory_parent form = {.name = *function,
                                    .interface = &vgpu_xe,
                                    .has_unknown_memory = card->has_vram && !card->vram};
    struct inventory_parent *parent;
    struct limit *memory;
    unsigned vram = 0;
    struct name type;
    int tagged = xe_tag_read(host, function, &type), unreadable = 0, rc;
    bool is_taken = tagged != -ENOENT; /* or it is not known */

    if (!is_taken && (!policy || policy->profile_count == 0 || pool_has(host, policy, function)))
        return 0;
    if (!is_taken && is_hosts_own(host, function)) {
        const struct inventory_ineligible ineligible = {
            *function, "which the host's own driver xe has, so that it takes no profile"};

        ARRAY_ADD(inventory->ineligible, inventory->ineligible_count, ineligible);
        return 0;
    }
    rc = add_card(host, policy, card, inventory, &form.gpu);
    if (rc < 0)
        return rc;
    if (card->has_vram && (card->vram || is_taken))
        unreadable = profile_read_vram(host, &self, &vram);
    parent = inventory_add_parent(inventory, &form);
    memory = find_memory(parent->gpu);
    if (memory) {
        memory->held[parent->index] = vram;
        memory->base[parent->index] = is_taken ? read_former_vram(host, function) : vram;
    }
    if (tagged == 0) {
        add_vgpu(inventory, parent, &type, vram);
        return 0;
    }
    if (is_taken)
        unreadable = tagged;
    for (size_t i = 0; i < parent->gpu->type_count; i++)
        parent->available[i] = unreadable < 0 ? unreadable : 1;
    return 0;
}

static int
scan_card(const struct host *host, const struct policy *policy, const struct name *name,
          struct inventory *inventory)
{
    const struct policy_gpu *said = policy ? policy_find_gpu(policy, name) : NULL;
    struct card card = {.name = *name};
    int rc = profile_takes(host, name, PROFILE_VRAM);

    if (rc < 0)
        return rc;
    card.has_vram = rc > 0;
    card.vram = said && card.has_vram ? said->vram : 0;
    rc = 0;
    for (unsigned i = 1; rc == 0; i++) {
        struct name function;

        rc = host_find(host, PCI_DEVICES "/%s/sriov_admin/vf%u", name->text, i);
        if (rc <= 0)
            break;
        rc = host_link(host, &function, PCI_DEVICES "/%s/sriov_admin/vf%u/device", name->text, i);
        if (rc == 0)
            rc = add_function(host, policy, &card, i, &function, inventory);
        /* A function that is not enabled has no link. */
        if (rc == -ENOENT)
            rc = 0;
    }
    return rc;
}

static bool
xe_may_be(const struct host *host, const struct policy *policy)
{
    return (policy && policy->profile_count > 0) || tag_may_be(host);
}

/* The configuration has the numbers of a profile, so there is nothing to filter. */
static int
xe_scan_device(const struct host *host, const struct policy *policy, const struct name *device,
               struct inventory *inventory)
{
    int rc = host_find(host, PCI_DEVICES "/%s/sriov_admin", device->text);

    return rc > 0 ? scan_card(host, policy, device, inventory) : rc;
}

/* --- one vGPU --------------------------------------------------------------------------------- */

static int
xe_find(const struct host *host, const struct name *device, struct vgpu *ret, struct name *gpu)
{
    *ret = (struct vgpu){.interface = &vgpu_xe, .device = *device, .parent = *device};
    pci_find_card(host, device, gpu);
    return xe_tag_read(host, device, &ret->type);
}

/* A function that has another type now is another vGPU. */
static enum vgpu_state
xe_state(const struct host *host, const struct vgpu *vgpu, struct name *type)
{
    int rc = xe_tag_read(host, &vgpu->device, type);

    if (rc == -ENOENT)
        return VGPU_ABSENT;
    if (rc < 0)
        return VGPU_UNKNOWN;
    return *vgpu->type.text && *type->text && !name_equal(type, &vgpu->type) ? VGPU_ABSENT
                                                                             : VGPU_PRESENT;
}

/* Writes the former numbers of a function back, and removes their tag. */
static int
give_back(const struct host *host, const struct name *device)
{
    struct name tag = xe_tag_former(device), text;
    struct profile_function self;
    struct profile former;
    int rc = tag_read(host, &tag, &text);

    if (rc < 0)
        return rc;
    rc = profile_find(host, device, &self);
    if (rc == 0 && profile_parse(&text, &former) == 0)
        rc = profile_restore(host, &self, &former);
    /* A function that has vanished has returned its share. */
    return rc < 0 && rc != -ENOENT ? rc : tag_remove(host, &tag);
}

static int
put_type(const struct host *host, const struct vgpu *vgpu)
{
    struct name tag = xe_tag_type(&vgpu->device);

    return tag_put(host, &tag, &vgpu->type);
}

/* Reads the memory of a function; 0 if there is no such function, or its memory cannot be set. */
static int
read_vram(const struct host *host, const struct name *function, struct profile_function *self,
          unsigned *vram)
{
    int rc = profile_find(host, function, self);

    *vram = 0;
    if (rc == 0)
        rc = profile_takes(host, &self->card, PROFILE_VRAM);
    if (rc > 0)
        rc = profile_read_vram(host, self, vram);
    return rc == -ENOENT ? 0 : rc;
}

/* Whether a function that is no vGPU has memory, and nobody has it open. */
static int
has_idle_memory(const struct host *host, const struct name *function)
{
    struct profile_function self;
    struct path device;
    unsigned vram;
    int rc = read_vram(host, function, &self, &vram);

    if (rc < 0 || vram == 0)
        return rc;
    rc = path_format(&device, PCI_DEVICES "/%s", function->text);
    return rc < 0 ? rc : !vfio_may_be_open(host, &device);
}

/* A function with a tag is a vGPU, and has the memory of its type. Or the tag says that the
 * driver's memory is just being taken back. */
static int
xe_has_share(const struct host *host, const struct name *function)
{
    struct name tag = xe_tag_former(function), text;
    int rc = tag_read(host, &tag, &text);

    if (rc != -ENOENT)
        return rc < 0 ? rc : xe_tag_is_taking_back(&text);
    return has_idle_memory(host, function);
}

static int
xe_take_back_share(const struct host *host, const struct name *function)
{
    const struct profile nothing = {.set = {[PROFILE_VRAM] = true}};
    struct name tag = xe_tag_former(function);
    struct profile_function self;
    int rc = xe_has_share(host, function), removed;

    if (rc > 0)
        rc = xe_tag_take_back(host, function);
    if (rc <= 0)
        return rc;
    /* A guest may have had the function until our tag was there. */
    rc = has_idle_memory(host, function);
    if (rc > 0) {
        rc = profile_find(host, function, &self);
        if (rc == 0)
            rc = profile_write(host, &self, &nothing);
    }
    removed = tag_remove(host, &tag);
    if (rc == 0)
        rc = removed;
    return rc < 0 ? rc : 1;
}

/* Writes the numbers of a vGPU for a function that has our tag, and then both tags. The tag says
 * the former numbers before the first of them changes. */
static int
write_numbers(const struct host *host, const struct vgpu *vgpu, const struct profile_function *self)
{
    const struct name tag = xe_tag_former(&vgpu->device);
    struct profile former, wanted;
    struct name text;
    int rc = profile_parse(&vgpu->recipe, &wanted);

    if (rc == 0)
        rc = profile_read(host, self, &wanted, &former);
    if (rc < 0)
        return rc;
    profile_print(&former, &text);
    rc = tag_change(host, &tag, &text);
    if (rc < 0)
        return rc;
    memcpy(wanted.set, former.set, sizeof(wanted.set));
    rc = profile_write(host, self, &wanted);
    return rc < 0 ? rc : put_type(host, vgpu);
}

/* Others may have the function without our knowledge: a guest that asks for no vGPU, or another
 * program. Nobody changes the function's numbers once our tag is there. So they are read then. */
static int
xe_make(const struct host *host, const struct vgpu *vgpu)
{
    const struct name tag = xe_tag_former(&vgpu->device), own = xe_tag_making(host);
    struct profile_function self;
    struct path device;
    int rc = vgpu_pci_directory(vgpu, &device);

    if (rc == 0)
        rc = profile_find(host, &vgpu->device, &self);
    if (rc == 0)
        rc = tag_put(host, &tag, &own);
    if (rc < 0)
        return rc == -ENOENT ? -ENODEV : rc == -EEXIST ? -EBUSY : rc;
    rc = vfio_may_be_open(host, &device) ? -EBUSY : write_numbers(host, vgpu, &self);
    if (rc < 0 && give_back(host, &vgpu->device) < 0)
        return -ENOTRECOVERABLE;
    return rc == -EEXIST ? -EBUSY : rc;
}

static int
xe_remove(const struct host *host, const struct vgpu *vgpu)
{
    struct name type, tag;
    int rc;

    if (xe_state(host, vgpu, &type) != VGPU_PRESENT)
        return -ENODEV;
    tag = xe_tag_type(&vgpu->device);
    rc = tag_remove(host, &tag);
    return rc < 0 && rc != -ENOENT ? rc : give_back(host, &vgpu->device);
}

const struct vgpu_interface vgpu_xe = {
    .kind = "xe",
    .hostdev = REQUEST_PCI,
    .is_managed = true,
    .scan_device = xe_scan_device,
    .may_be = xe_may_be,
    .find = xe_find,
    .state = xe_state,
    .has_share = xe_has_share,
    .take_back_share = xe_take_back_share,
    .make = xe_make,
    .directory = vgpu_pci_directory,
    .remove = xe_remove,
};
