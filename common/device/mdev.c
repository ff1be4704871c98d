/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * mdev: mediated devices, the first row of vgpu_built_in.
 *
 * The rules are those of the kernel's drivers/vfio/mdev (mdev_core.c, mdev_sysfs.c), 6.1 to 7.1.
 * Creating is one write of a UUID. It is all or nothing, and the link mdev_type comes last.
 * Removing is one write too. It takes mdev_type first and the directory last, and blocks while the
 * device is open.
 */

#include "base/array.h"
#include "base/reader.h"
#include "device/gpu.h"
#include "device/nvidia-number.h"
#include "device/nvidia.h"
#include "device/pci.h"
#include "device/type-cache.h"
#include "device/vendor.h"
#include "device/vgpu.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define PARENTS "sys/class/mdev_bus"
#define DEVICES "sys/bus/mdev/devices"

/* Reads what NVIDIA's driver says of a type: "num_heads=4, frl_config=60, framebuffer=1024M,
 * max_resolution=5120x2880, max_instance=24". Other drivers' texts are not understood. */
static void
read_description(const char *text, struct inventory_type *type)
{
    static const struct {
        const char *word;
        size_t offset;
    } numbers[] = {
        {"num_heads=", offsetof(struct inventory_type, heads)},
        {"framebuffer=", offsetof(struct inventory_type, framebuffer)},
        {"max_instance=", offsetof(struct inventory_type, max)},
    };
    const char *resolution = strstr(text, "max_resolution=");

    for (size_t i = 0; i < COUNT(numbers); i++) {
        const char *found = strstr(text, numbers[i].word);

        if (found)
            *(unsigned *)((char *)type + numbers[i].offset) =
                (unsigned)strtoul(found + strlen(numbers[i].word), NULL, 10);
    }
    if (resolution && sscanf(resolution, "max_resolution=%15[0-9x]", type->resolution) != 1)
        type->resolution[0] = '\0';
}

/* --- the directories of types ----------------------------------------------------------------- */

/* Finds the directory of a type on a parent that has no directory of the id's name. Two functions
 * of one card may call a type by two names. If the parent has no such type, the id is returned. */
static struct name
find_directory(const struct host *host, const struct name *parent, const struct name *id)
{
    AUTO(names_clear) struct names types = {0};
    unsigned number = nvidia_number(id);

    if (number == 0 ||
        host_list(host, &types, PARENTS "/%s/mdev_supported_types", parent->text) < 0)
        return *id;
    for (size_t i = 0; i < types.count; i++) {
        if (nvidia_number_of_directory(types.items[i].text) == number)
            return types.items[i];
    }
    return *id;
}

/* Reads one of a type's attributes. */
static ssize_t
read_attribute(const struct host *host, const struct name *gpu, const struct name *parent,
               const struct name *type, const char *what, char *text, size_t size)
{
    static const char path[] = PARENTS "/%s/mdev_supported_types/%s/%s";
    ssize_t length = reader_read(host, gpu, text, size, path, parent->text, type->text, what);
    struct name directory;

    if (length != -ENOENT)
        return length;
    directory = find_directory(host, parent, type);
    return name_equal(&directory, type)
               ? length
               : reader_read(host, gpu, text, size, path, parent->text, directory.text, what);
}

/* How many more vGPUs of a type a parent takes, or -errno. */
static int
read_available(const struct host *host, const struct name *gpu, const struct name *parent,
               const struct name *type)
{
    char text[32];
    uint64_t number;
    ssize_t length =
        read_attribute(host, gpu, parent, type, "available_instances", text, sizeof(text));
    int rc = length < 0 ? (int)length : host_parse_number(text, &number);

    return rc < 0 ? rc : number > INT_MAX ? INT_MAX : (int)number;
}

/* --- the scan --------------------------------------------------------------------------------- */

/* If another card of the model has told the name, or this card has since the host booted, it is not
 * asked. */
static void
read_name(const struct host *host, const struct inventory *inventory,
          const struct inventory_gpu *gpu, const struct name *parent, struct inventory_type *type)
{
    const struct inventory_type *twin = inventory_find_twin(inventory, gpu, &type->id);

    if (twin)
        memcpy(type->name, twin->name, sizeof(type->name));
    else if (!type_cache_name(inventory, gpu, type) &&
             read_attribute(host, &gpu->name, parent, &type->id, "name", type->name,
                            sizeof(type->name)) <= 0)
        snprintf(type->name, sizeof(type->name), "%s", type->id.text);
}

/* -ENOTTY: it is not the type of a GPU. s390's channels and adapters are mediated devices too. Of a
 * card that does not answer only the id is known. NVIDIA's names tell the size of a type, and
 * whether it takes a GPU instance. */
static int
read_type(const struct host *host, const struct inventory *inventory,
          const struct inventory_gpu *gpu, const struct name *parent,
          const struct inventory_filter *filter, struct inventory_type *ret)
{
    const struct name *card = &gpu->name, *id = &ret->id;
    char text[1024];
    ssize_t length;

    read_name(host, inventory, gpu, parent, ret);
    vendor_describe(vendor_rows(host), ret);
    if (!filter->wants(ret, filter->data))
        return 0;
    length = read_attribute(host, card, parent, id, "device_api", text, sizeof(text));
    if (length == -ETIMEDOUT || length == -ECHILD)
        return 0;
    if (length < 0 || strcmp(text, "vfio-pci"))
        return -ENOTTY;
    if (read_attribute(host, card, parent, id, "description", text, sizeof(text)) > 0)
        read_description(text, ret);
    return 0;
}

/* Describes a GPU by the first of its parents that can be read. */
static void
read_gpu(const struct host *host, const struct name *parent, const struct inventory_filter *filter,
         const struct inventory *inventory, struct inventory_gpu *gpu)
{
    AUTO(names_clear) struct names types = {0};
    struct path card;

    if (path_format(&card, "%s/%s", name_equal(parent, &gpu->name) ? PARENTS : PCI_DEVICES,
                    gpu->name.text) == 0)
        gpu_describe(host, &card, gpu);
    if (host_list(host, &types, PARENTS "/%s/mdev_supported_types", parent->text) < 0)
        return;
    for (size_t i = 0; i < types.count; i++)
        nvidia_give_id(host, parent, &types.items[i]);
    for (size_t i = 0; i < types.count; i++) {
        struct inventory_type type = {.gpu = gpu, .id = types.items[i]};

        snprintf(type.name, sizeof(type.name), "%s", type.id.text);
        if (read_type(host, inventory, gpu, parent, filter, &type) == 0)
            inventory_add_type(gpu, &type);
    }
}

static void
add_parent(const struct host *host, const struct name *name, const struct inventory_filter *filter,
           struct inventory *inventory)
{
    struct inventory_parent form = {.name = *name, .interface = &vgpu_mdev}, *parent;
    struct inventory_gpu *gpu;
    struct name gpu_name;

    pci_find_card(host, name, &gpu_name);
    gpu = inventory_add_gpu(inventory, &gpu_name);
    gpu->one_size = true;
    if (gpu->type_count == 0)
        read_gpu(host, name, filter, inventory, gpu);
    if (gpu->type_count == 0)
        return;
    form.gpu = gpu;
    parent = inventory_add_parent(inventory, &form);
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (filter->wants(&gpu->types[i], filter->data))
            parent->available[i] = read_available(host, &gpu->name, name, &gpu->types[i].id);
    }
}

/* The device's link on the bus leads to .../PARENT/DEVICE. */
static int
read_parent(const struct host *host, const struct name *device, struct name *ret)
{
    char target[PATH_MAX];
    struct path path;
    char *slash;
    int rc = path_format(&path, DEVICES "/%s", device->text);

    if (rc == 0)
        rc = (int)host->ops->link(host, path.text, target, sizeof(target));
    if (rc < 0)
        return rc;
    slash = strrchr(target, '/');
    if (!slash)
        return -EBADMSG;
    *slash = '\0';
    slash = strrchr(target, '/');
    return name_parse(ret, slash ? slash + 1 : target);
}

/* Reads the size of a vGPU's type even if the filter does not want the type: the size decides what
 * else the GPU can take. */
static void
describe_made(const struct host *host, const struct inventory_vgpu *vgpu,
              const struct inventory_filter *filter)
{
    const struct inventory_parent *parent = vgpu->parent;
    const struct inventory_gpu *gpu = parent->gpu;
    struct inventory_type *type = (struct inventory_type *)inventory_find_type(gpu, &vgpu->type);
    char text[1024];

    if (type && !type->framebuffer && !filter->wants(type, filter->data) &&
        read_attribute(host, &gpu->name, &parent->name, &type->id, "description", text,
                       sizeof(text)) > 0)
        read_description(text, type);
}

static int
add_device(const struct host *host, const struct name *device,
           const struct inventory_filter *filter, struct inventory *inventory)
{
    struct inventory_vgpu vgpu = {.device = *device};
    struct name parent;

    int rc = read_parent(host, device, &parent);

    /* The device is just going, or it is no link at all. */
    if (rc < 0)
        return rc == -ENOENT || rc == -EINVAL || rc == -EBADMSG ? 0 : rc;
    vgpu.parent = inventory_find_parent(inventory, &parent);
    if (!vgpu.parent)
        return 0;
    if (host_link(host, &vgpu.type, DEVICES "/%s/mdev_type", device->text) < 0) {
        vgpu.type.text[0] = '\0';
    } else {
        nvidia_give_id(host, &parent, &vgpu.type);
        describe_made(host, &vgpu, filter);
    }
    inventory_add_vgpu(inventory, &vgpu);
    return 0;
}

/* Without the directories the mdev module is not loaded, and there are no mediated devices. If they
 * cannot be read, there may be some. A device that is not seen would pass for one that is gone. */
static int
mdev_scan(const struct host *host, const struct inventory_filter *filter,
          struct inventory *inventory)
{
    AUTO(names_clear) struct names parents = {0};
    AUTO(names_clear) struct names devices = {0};
    int rc = host_list(host, &parents, PARENTS);

    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    for (size_t i = 0; i < parents.count; i++)
        add_parent(host, &parents.items[i], filter, inventory);
    rc = host_list(host, &devices, DEVICES);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    for (size_t i = 0; i < devices.count && rc == 0; i++)
        rc = add_device(host, &devices.items[i], filter, inventory);
    return rc;
}

static int
mdev_find(const struct host *host, const struct name *device, struct vgpu *ret, struct name *gpu)
{
    int rc;

    *ret = (struct vgpu){.interface = &vgpu_mdev, .device = *device};
    rc = read_parent(host, device, &ret->parent);
    if (rc == 0)
        rc = host_link(host, &ret->type, DEVICES "/%s/mdev_type", device->text);
    if (rc < 0)
        return rc;
    nvidia_give_id(host, &ret->parent, &ret->type);
    pci_find_card(host, &ret->parent, gpu);
    return 0;
}

/* A device of this UUID on another parent is another device. */
static bool
is_on_bus(const struct host *host, const struct vgpu *vgpu)
{
    struct name parent;
    int rc = read_parent(host, &vgpu->device, &parent);

    return rc == 0 ? name_equal(&parent, &vgpu->parent) : rc != -ENOENT;
}

static enum vgpu_state
mdev_state(const struct host *host, const struct vgpu *vgpu, struct name *type)
{
    const char *device = vgpu->device.text, *parent = vgpu->parent.text;

    if (host_link(host, type, PARENTS "/%s/%s/mdev_type", parent, device) == 0) {
        nvidia_give_id(host, &vgpu->parent, type);
        return VGPU_PRESENT;
    }
    return host_exists(host, PARENTS "/%s/%s", parent, device) || is_on_bus(host, vgpu)
               ? VGPU_TRANSIENT
               : VGPU_ABSENT;
}

static int
mdev_make(const struct host *host, const struct vgpu *vgpu)
{
    static const char create[] = PARENTS "/%s/mdev_supported_types/%s/create";
    struct name directory = vgpu->type;
    struct path path;
    int rc;

    if (!host_exists(host, create, vgpu->parent.text, directory.text))
        directory = find_directory(host, &vgpu->parent, &vgpu->type);
    rc = path_format(&path, create, vgpu->parent.text, directory.text);
    return rc < 0 ? rc : host->ops->write(host, path.text, vgpu->device.text);
}

static int
mdev_directory(const struct vgpu *vgpu, struct path *ret)
{
    return path_format(ret, PARENTS "/%s/%s", vgpu->parent.text, vgpu->device.text);
}

static int
mdev_remove(const struct host *host, const struct vgpu *vgpu)
{
    struct path path;
    int rc = path_format(&path, PARENTS "/%s/%s/remove", vgpu->parent.text, vgpu->device.text);

    return rc < 0 ? rc : host->ops->write(host, path.text, "1");
}

const struct vgpu_interface vgpu_mdev = {
    .kind = "mdev",
    .hostdev = REQUEST_MDEV,
    .scan = mdev_scan,
    .find = mdev_find,
    .state = mdev_state,
    .make = mdev_make,
    .configure = nvidia_configure,
    .directory = mdev_directory,
    .remove = mdev_remove,
};
