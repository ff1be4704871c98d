/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/bandwidth.h"
#include "device/gpu.h"
#include "device/pci.h"
#include "fake/fake-parts.h"

#include <stdio.h>
#include <string.h>

#define WHOLE 100 /* percent */

static const unsigned shares[] = {25, 50, 100};

/* --- the interface ---------------------------------------------------------------------------- */

static void
name_share(unsigned percent, struct name *ret)
{
    snprintf(ret->text, sizeof(ret->text), "share-%u", percent);
}

static int
read_share(const struct host *host, const struct name *function, struct name *type)
{
    uint64_t percent;
    int rc = host_read_number(host, &percent, PCI_DEVICES "/%s/bandwidth", function->text);

    *type = (struct name){0};
    if (rc == 0 && percent > WHOLE)
        rc = -EBADMSG;
    if (rc == 0 && percent > 0)
        name_share((unsigned)percent, type);
    return rc;
}

static unsigned
percent_of(const struct name *type)
{
    unsigned percent;

    return sscanf(type->text, "share-%u", &percent) == 1 ? percent : 0;
}

/* What all functions of a card have. */
static unsigned
sum_up(const struct host *host, const struct name *card)
{
    struct name function, type;
    unsigned sum = 0;

    for (unsigned i = 0; host_link(host, &function, PCI_DEVICES "/%s/virtfn%u", card->text, i) == 0;
         i++) {
        if (read_share(host, &function, &type) == 0)
            sum += percent_of(&type);
    }
    return sum;
}

/* The types of a card, and its only limit. */
static struct inventory_gpu *
add_card(const struct host *host, const struct name *card, struct inventory *inventory)
{
    const struct limit form = {
        .source = LIMIT_TOLD, .unit = "percent", .is_enough = true, .total = WHOLE};
    size_t known = inventory->gpu_count;
    struct inventory_gpu *gpu = gpu_add_pci(host, card, inventory);
    struct limit *limit;

    if (gpu->index != known)
        return gpu;
    for (size_t i = 0; i < COUNT(shares); i++) {
        struct inventory_type type = {.max = WHOLE / shares[i]};

        name_share(shares[i], &type.id);
        snprintf(type.name, sizeof(type.name), "Hose %u%%", shares[i]);
        vendor_describe(vendor_rows(host), &type);
        inventory_add_type(gpu, &type);
    }
    limit = inventory_add_limit(gpu, &form, false);
    for (size_t i = 0; i < COUNT(shares); i++) {
        limit->needs[i] = shares[i];
        limit->binds[i] = true;
    }
    return gpu;
}

static int
scan_device(const struct host *host, const struct policy *policy, const struct name *device,
            struct inventory *inventory)
{
    struct inventory_parent form = {.name = *device, .interface = &bandwidth_interface};
    struct inventory_vgpu vgpu = {.device = *device};
    struct inventory_parent *parent;
    struct name card;

    (void)policy;
    if (!host_exists(host, PCI_DEVICES "/%s/bandwidth", device->text) ||
        pci_find_card(host, device, &card) < 0)
        return 0;
    form.gpu = add_card(host, &card, inventory);
    parent = inventory_add_parent(inventory, &form);
    vgpu.parent = parent;
    if (read_share(host, device, &vgpu.type) == 0 && *vgpu.type.text)
        inventory_add_vgpu(inventory, &vgpu);
    else
        for (size_t i = 0; i < COUNT(shares); i++)
            parent->available[i] = sum_up(host, &card) + shares[i] <= WHOLE;
    return 0;
}

static int
find(const struct host *host, const struct name *device, struct vgpu *ret, struct name *gpu)
{
    int rc = pci_find_card(host, device, gpu);

    *ret = (struct vgpu){.interface = &bandwidth_interface, .device = *device, .parent = *device};
    if (rc == 0)
        rc = read_share(host, device, &ret->type);
    return rc == 0 && !*ret->type.text ? -ENOENT : rc;
}

static enum vgpu_state
state(const struct host *host, const struct vgpu *vgpu, struct name *type)
{
    if (read_share(host, &vgpu->device, type) < 0 || !*type->text)
        return VGPU_ABSENT;
    return *vgpu->type.text && !name_equal(type, &vgpu->type) ? VGPU_ABSENT : VGPU_PRESENT;
}

/* The fake kernel has no file for this. So the row does the driver's work as well. */
static int
put_share(const struct host *host, const struct vgpu *vgpu, unsigned percent)
{
    const struct host plain = {.root = host->root, .ops = &host_kernel};
    char text[16];
    struct path path;
    int rc = path_format(&path, PCI_DEVICES "/%s/bandwidth", vgpu->device.text);

    /* A file is not cut when it is written to, unlike an attribute. */
    snprintf(text, sizeof(text), "%03u\n", percent);
    return rc < 0 ? rc : plain.ops->write(&plain, path.text, text);
}

static int
make(const struct host *host, const struct vgpu *vgpu)
{
    struct name type, card;

    if (read_share(host, &vgpu->device, &type) < 0 || pci_find_card(host, &vgpu->device, &card) < 0)
        return -ENODEV;
    if (sum_up(host, &card) + percent_of(&vgpu->type) > WHOLE)
        return -ENOSPC;
    return *type.text ? -EBUSY : put_share(host, vgpu, percent_of(&vgpu->type));
}

static int
take_back(const struct host *host, const struct vgpu *vgpu)
{
    struct name type;

    return state(host, vgpu, &type) == VGPU_PRESENT ? put_share(host, vgpu, 0) : -ENODEV;
}

const struct vgpu_interface bandwidth_interface = {
    .kind = "hose",
    .hostdev = REQUEST_PCI,
    .scan_device = scan_device,
    .find = find,
    .state = state,
    .make = make,
    .directory = vgpu_pci_directory,
    .remove = take_back,
};

const struct vgpu_interface *const bandwidth_interfaces[] = {
    &vgpu_mdev, &vgpu_vf, &vgpu_xe, &vgpu_pool, &bandwidth_interface, NULL,
};

/* --- the vendor ------------------------------------------------------------------------------- */

static bool
has(const struct inventory_type *type)
{
    return percent_of(&type->id) > 0;
}

static void
describe(struct inventory_type *type)
{
    type->heads = percent_of(&type->id) / shares[0];
}

static bool
may_combine(const struct inventory_type *a, const struct inventory_type *b)
{
    return percent_of(&a->id) == percent_of(&b->id);
}

static const struct vendor vendor_hose = {
    .has = has,
    .describe = describe,
    .may_combine = may_combine,
    .combination = "Hose gives one guest shares of one size only",
};

const struct vendor *const bandwidth_vendors[] = {&vendor_nvidia, &vendor_hose, NULL};

/* --- the driver ------------------------------------------------------------------------------- */

void
bandwidth_put(const struct fake_kernel *fake)
{
    for (unsigned i = 1; i <= 3; i++) {
        char function[] = "0000:65:00.0";

        function[sizeof(function) - 2] = (char)('0' + i);
        fake_put(fake->host.root, "000\n", "sys/devices/%s/bandwidth", function);
        fake_put_vfio(fake, function, 90 + i);
    }
}

unsigned
bandwidth_of(const struct fake_kernel *fake, const char *function)
{
    const struct host plain = fake_plain(fake);
    uint64_t percent;

    assert(host_read_number(&plain, &percent, "sys/devices/%s/bandwidth", function) == 0);
    return (unsigned)percent;
}
