/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Mediated devices. */

#include "fake/fake-parts.h"
#include "base/array.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/file.h>

/* --- the tree --------------------------------------------------------------------------------- */

/* The name of a type's directory on a parent: the kernel begins it with the parent's driver. */
static struct name
directory_of(const struct fake_parent *parent, const struct fake_type *type)
{
    struct name ret;

    if (parent->bound)
        snprintf(ret.text, sizeof(ret.text), "vfio-pci%s", strrchr(type->id, '-'));
    else
        snprintf(ret.text, sizeof(ret.text), "%s", type->id);
    return ret;
}

static const struct fake_type *
find_type(const struct fake_kernel *fake, const struct fake_parent *parent, const char *directory)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);

    return ARRAY_FIND(gpu->types, gpu->type_count, type,
                      !strcmp(directory_of(parent, type).text, directory));
}

static void
put_type(int root, const struct fake_parent *parent, const struct fake_gpu *gpu,
         const struct fake_type *type)
{
    char text[256], base[200];

    snprintf(base, sizeof(base), "sys/devices/%s/mdev_supported_types/%s", parent->name,
             directory_of(parent, type).text);
    fake_put(root, NULL, "%s/devices/", base);
    fake_put(root, "", "%s/create", base);
    fake_put(root, "", "%s/available_instances", base);
    snprintf(text, sizeof(text), "%s\n", type->api);
    fake_put(root, text, "%s/device_api", base);
    if (!type->nameless) {
        snprintf(text, sizeof(text), "%s\n", type->name);
        fake_put(root, text, "%s/name", base);
    }
    if (gpu->gvt)
        fake_put(root,
                 "low_gm_size: 128MB\nhigh_gm_size: 512MB\nfence: 4\nresolution: 1920x1200\n"
                 "weight: 4\n",
                 "%s/description", base);
    if (type->max) {
        snprintf(text, sizeof(text),
                 "num_heads=%u, frl_config=60, framebuffer=%uM, max_resolution=5120x2880, "
                 "max_instance=%u\n",
                 type->heads, type->framebuffer, type->max);
        fake_put(root, text, "%s/description", base);
    }
}

static void
put_parent(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);
    int root = fake->host.root;
    char text[128];

    fake_put(root, NULL, "sys/devices/%s/mdev_supported_types/", parent->name);
    snprintf(text, sizeof(text), "../../devices/%s", parent->name);
    fake_put_link(root, text, "sys/class/mdev_bus/%s", parent->name);
    for (size_t i = 0; i < gpu->type_count; i++)
        put_type(root, parent, gpu, &gpu->types[i]);
}

/* The devices of a parent, complete or not: directories with a file "type". */
static size_t
count_devices(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    AUTO(names_clear) struct names entries = {0};
    struct host plain = fake_plain(fake);
    size_t count = 0;

    if (host_list(&plain, &entries, "sys/devices/%s", parent->name) < 0)
        return 0;
    for (size_t i = 0; i < entries.count; i++) {
        struct name uuid;

        count += name_parse_uuid(&uuid, entries.items[i].text) == 0;
    }
    return count;
}

static const struct fake_parent *
parent_of(const struct fake_kernel *fake, const char *uuid)
{
    struct host plain = fake_plain(fake);

    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        if (host_exists(&plain, "sys/devices/%s/%s", fake->machine->parents[i].name, uuid))
            return &fake->machine->parents[i];
    }
    return NULL;
}

static void
read_type(const struct fake_kernel *fake, const char *uuid, char *type, size_t size)
{
    const struct fake_parent *parent = parent_of(fake, uuid);
    struct host plain = fake_plain(fake);

    if (!parent || host_read(&plain, type, size, "sys/devices/%s/%s/.type", parent->name, uuid) < 0)
        *type = '\0';
}

/* --- create and remove ------------------------------------------------------------------------ */

static int
begin_create(const struct fake_kernel *fake, const struct fake_parent *parent,
             const char *directory, const char *uuid)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    const struct fake_type *type = find_type(fake, parent, directory);
    char target[256];
    int rc;

    if (!type)
        return -ENOENT;
    if (parent_of(fake, uuid))
        return -EEXIST;
    rc = fake_refusal(fake, parent, type);
    if (rc < 0)
        return rc;
    fake_count_one(fake, parent, type, 1);
    fake_put(fake->host.root, type->id, "sys/devices/%s/%s/.type", parent->name, uuid);
    fake_put(fake->host.root, "", "sys/devices/%s/%s/.open", parent->name, uuid);
    snprintf(target, sizeof(target), "../../../devices/%s/%s", parent->name, uuid);
    fake_put_link(fake->host.root, target, "sys/bus/mdev/devices/%s", uuid);
    return 0;
}

static void
end_create(const struct fake_kernel *fake, const char *parent, const char *type, const char *uuid)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    int root = fake->host.root;
    struct path directory;
    char target[256];

    assert(path_format(&directory, "sys/devices/%s/%s", parent, uuid) == 0);
    fake_put_group(fake, directory.text, uuid);
    fake_put(root, "", "%s/remove", directory.text);
    if (!strncmp(type, "nvidia-", 7) || !strncmp(type, "vfio-pci-", 9))
        fake_put(root, "\n", "%s/nvidia/vgpu_params", directory.text);
    snprintf(target, sizeof(target), "../mdev_supported_types/%s", type);
    fake_put_link(root, target, "%s/mdev_type", directory.text);
}

static int
create(const struct fake_kernel *fake, const char *parent_name, const char *type, const char *text)
{
    const struct fake_parent *parent = fake_find_parent(fake, parent_name);
    struct name uuid;
    int rc;

    if (strlen(text) != 36 || name_parse_uuid(&uuid, text) < 0)
        return -EINVAL;
    if (!parent)
        return -ENOENT;
    fake_sleep_while(&fake->faults->unseen);
    rc = begin_create(fake, parent, type, uuid.text);
    if (rc < 0)
        return rc;
    fake_sleep_while(&fake->faults->stuck);
    fake_pause_create(fake, parent);
    end_create(fake, parent_name, type, uuid.text);
    return 0;
}

/* First the links are removed. The directory is removed when nobody has the device open any
 * more. */
static int
begin_remove(const struct fake_kernel *fake, const char *parent, const char *uuid)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    struct host plain = fake_plain(fake);
    int root = fake->host.root;

    if (!host_exists(&plain, "sys/devices/%s/%s", parent, uuid))
        return -ENODEV;
    if (!host_exists(&plain, "sys/devices/%s/%s/mdev_type", parent, uuid))
        return -EAGAIN;
    fake_drop(root, 0, "sys/devices/%s/%s/remove", parent, uuid);
    fake_drop(root, 0, "sys/devices/%s/%s/mdev_type", parent, uuid);
    fake_drop(root, 0, "sys/bus/mdev/devices/%s", uuid);
    return 0;
}

static void
end_remove(const struct fake_kernel *fake, const char *parent, const char *uuid)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    static const char *const files[] = {"iommu_group", ".type", ".open"};
    const struct fake_parent *place = fake_find_parent(fake, parent);
    int root = fake->host.root;
    char type[64];

    read_type(fake, uuid, type, sizeof(type));
    fake_count_one(fake, place, fake_find_type(fake_gpu_of(fake, place), type), -1);
    for (size_t i = 0; i < COUNT(files); i++)
        fake_drop(root, 0, "sys/devices/%s/%s/%s", parent, uuid, files[i]);
    fake_drop_group(fake, uuid);
    fake_drop(root, 0, "sys/devices/%s/%s/nvidia/vgpu_params", parent, uuid);
    fake_drop(root, AT_REMOVEDIR, "sys/devices/%s/%s/nvidia", parent, uuid);
    fake_drop(root, AT_REMOVEDIR, "sys/devices/%s/%s", parent, uuid);
}

static int
remove_from(const struct fake_kernel *fake, const char *parent, const char *uuid)
{
    AUTO_CLOSE int fd = -1;
    struct path path;
    int rc = begin_remove(fake, parent, uuid);

    if (rc < 0)
        return rc;
    assert(path_format(&path, "sys/devices/%s/%s/.open", parent, uuid) == 0);
    fd = openat(fake->host.root, path.text, O_RDWR | O_CLOEXEC);
    assert(fd < 0 || (flock(fd, LOCK_EX) == 0 && flock(fd, LOCK_UN) == 0));
    fake_sleep(fake->faults->remove_delay);
    end_remove(fake, parent, uuid);
    return 0;
}

static int
remove_device(const struct fake_kernel *fake, const char *uuid)
{
    const struct fake_parent *parent = parent_of(fake, uuid);

    return parent ? remove_from(fake, parent->name, uuid) : -ENOENT;
}

/* --- attributes ------------------------------------------------------------------------------- */

/* Splits "sys/class/mdev_bus/PARENT/REST". */
static bool
split_path(const char *path, char *parent, const char **rest)
{
    static const char stem[] = "sys/class/mdev_bus/";
    size_t length;

    if (strncmp(path, stem, sizeof(stem) - 1))
        return false;
    path += sizeof(stem) - 1;
    length = strcspn(path, "/");
    snprintf(parent, 64, "%.*s", (int)length, path);
    *rest = path[length] ? path + length + 1 : "";
    return true;
}

static ssize_t
read_available(const struct fake_kernel *fake, const char *path, const char *parent,
               const char *type, char *buffer, size_t size)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    const struct fake_parent *known = fake_find_parent(fake, parent);
    struct stat status;

    if (host_kernel.status(&fake->host, path, &status) < 0 || !known)
        return -ENOENT;
    if (fake->faults->unreadable && fake->faults->opens % fake->faults->unreadable == 0)
        return -EIO;
    return snprintf(buffer, size, "%u\n", fake_told(fake, known, find_type(fake, known, type)));
}

static bool
read_attribute(const struct fake_kernel *fake, const char *path, char *buffer, size_t size,
               ssize_t *ret)
{
    char parent[64], type[64];
    const char *rest;
    int end = 0;

    if (!split_path(path, parent, &rest) ||
        sscanf(rest, "mdev_supported_types/%63[^/]/available_instances%n", type, &end) != 1 || !end)
        return false;
    *ret = read_available(fake, path, parent, type, buffer, size);
    return true;
}

static int
configure(const struct fake_kernel *fake, const char *parent, const char *uuid, const char *text)
{
    struct path directory;
    struct host plain = fake_plain(fake);

    assert(path_format(&directory, "sys/devices/%s/%s", parent, uuid) == 0);
    if (!host_exists(&plain, "%s/nvidia/vgpu_params", directory.text))
        return -ENOENT;
    fake_put_params(fake, directory.text, text);
    return 0;
}

static bool
write_attribute(const struct fake_kernel *fake, const char *path, const char *text, int *ret)
{
    char parent[64], word[64];
    const char *rest;
    int end = 0;

    if (!split_path(path, parent, &rest))
        return false;
    if (sscanf(rest, "mdev_supported_types/%63[^/]/create%n", word, &end) == 1 && end)
        *ret = create(fake, parent, word, text);
    else if (sscanf(rest, "%63[^/]/remove%n", word, &end) == 1 && end)
        *ret = remove_from(fake, parent, word);
    else if (sscanf(rest, "%63[^/]/nvidia/vgpu_params%n", word, &end) == 1 && end)
        *ret = configure(fake, parent, word, text);
    else
        return false;
    return true;
}

/* --- for the tests ---------------------------------------------------------------------------- */

static int
open_locked(int root, const struct path *path)
{
    int fd = openat(root, path->text, O_RDWR | O_CLOEXEC);

    assert(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
    return fd;
}

static struct fake_guest
open_device(const struct fake_kernel *fake, const char *uuid)
{
    const struct fake_parent *parent = parent_of(fake, uuid);
    struct path device, group;

    assert(parent);
    assert(path_format(&device, "sys/devices/%s/%s/.open", parent->name, uuid) == 0);
    assert(path_format(&group, "dev/vfio/%s", fake_group(fake, uuid).text) == 0);
    return (struct fake_guest){.group = open_locked(fake->host.root, &group),
                               .device = open_locked(fake->host.root, &device)};
}

static void
settle(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);

    for (size_t i = 0; i < gpu->type_count; i++) {
        char text[16];

        snprintf(text, sizeof(text), "%u\n", fake_told(fake, parent, &gpu->types[i]));
        fake_put(fake->host.root, text,
                 "sys/devices/%s/mdev_supported_types/%s/available_instances", parent->name,
                 directory_of(parent, &gpu->types[i]).text);
    }
}

static void
vanish(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    fake_drop(fake->host.root, 0, "sys/class/mdev_bus/%s", parent->name);
}

const struct fake_family fake_mdev = {
    .put_parent = put_parent,
    .read = read_attribute,
    .write = write_attribute,
    .make = create,
    .remove = remove_device,
    .open = open_device,
    .type_of = read_type,
    .count = count_devices,
    .settle = settle,
    .vanish = vanish,
};
