/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/nvidia.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/reader.h"
#include "device/vendor.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define STEM "nvidia-"
#define PROC "proc/driver/nvidia"

/* The most vGPUs that the driver makes (ctrla081.h of its open kernel modules, 595): on a GPU that
 * is shared in time (NVA081_MAX_VGPU_PER_PGPU_NON_MIG), and on a GPU instance
 * (NVA081_MAX_VGPU_PER_GI). */
#define MOST_ON_GPU      32
#define MOST_ON_INSTANCE 12

unsigned
nvidia_type_number(const struct name *id)
{
    const char *digits = id->text + strlen(STEM);

    if (strncmp(id->text, STEM, strlen(STEM)) || *digits < '1' || *digits > '9' ||
        strlen(digits) > 9 || strspn(digits, "0123456789") != strlen(digits))
        return 0;
    return (unsigned)strtoul(digits, NULL, 10);
}

void
nvidia_type_id(unsigned number, struct name *ret)
{
    *ret = (struct name){0};
    snprintf(ret->text, sizeof(ret->text), STEM "%u", number);
}

/* Reads the number that ends before `end` and has a dash in front. Returns false if there is
 * none. */
static bool
read_back(const char *start, const char *end, unsigned *ret)
{
    const char *digits = end;

    while (digits > start && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits == end || end - digits > 4 || digits == start || digits[-1] != '-')
        return false;
    *ret = (unsigned)strtoul(digits, NULL, 10);
    return true;
}

/* A type's name, such as "GRID T4-1B4" or "NVIDIA A100-1-5CME". */
struct title {
    size_t board;    /* so many bytes of the name are the board: "GRID T4", "NVIDIA A100" */
    unsigned slices; /* 1 of "1-5CME"; 0: the type shares its GPU in time */
    unsigned gigabytes;
    char series; /* 'A', 'B', 'C' or 'Q' */
};

/* Called for each place that a search looks at, so it has no sscanf. */
static bool
parse_title(const struct inventory_type *type, struct title *ret)
{
    const char *word = inventory_last_word(type->name), *dash = strrchr(word, '-'), *size;

    *ret = (struct title){0};
    if (nvidia_type_number(&type->id) == 0 || !dash)
        return false;
    for (size = dash + 1; isdigit((unsigned char)*size) && size - dash <= 4; size++)
        ret->gigabytes = ret->gigabytes * 10 + (unsigned)(*size - '0');
    if (size == dash + 1)
        return false;
    ret->series = *size;
    if (!ret->series || !strchr("ABCQ", ret->series))
        return false;
    if (read_back(word, dash, &ret->slices)) {
        do
            dash--;
        while (*dash != '-');
    }
    ret->board = (size_t)(dash - type->name);
    return true;
}

static void
describe(struct inventory_type *type)
{
    struct title title;

    if (!parse_title(type, &title))
        return;
    if (type->framebuffer == 0)
        type->framebuffer = title.gigabytes ? title.gigabytes * 1024 : 512;
    if (title.slices)
        type->slices = title.slices;
    type->ceiling = type->slices ? MOST_ON_INSTANCE : MOST_ON_GPU;
}

static bool
has(const struct inventory_type *type)
{
    return nvidia_type_number(&type->id) > 0;
}

/* NVIDIA AI Enterprise documentation 8.1, "Multi-vGPU": several vGPUs of one guest may have unlike
 * frame buffers, "provided the board type and the series of all the vGPUs are the same". */
static bool
may_combine(const struct inventory_type *a, const struct inventory_type *b)
{
    struct title one, other;

    if (!parse_title(a, &one) || !parse_title(b, &other))
        return true;
    return one.series == other.series && one.board == other.board &&
           !memcmp(a->name, b->name, one.board);
}

/* Only the driver of a vGPU host has this file, by which it releases a card (nv_procfs_add_gpu in
 * nv-procfs.c). */
bool
nvidia_has_host_driver(const struct host *host, const struct name *gpu)
{
    return host_exists(host, PROC "/gpus/%s/unbindLock", gpu->text);
}

/* Reads the driver's own number of a GPU. Other files of /proc have this number in their names. */
static int
read_minor(const struct host *host, const struct name *gpu, unsigned *ret)
{
    char text[1024];
    ssize_t length =
        reader_read(host, gpu, text, sizeof(text), PROC "/gpus/%s/information", gpu->text);
    const char *line = length > 0 ? strstr(text, "\nDevice Minor:") : NULL;

    if (length < 0)
        return (int)length;
    return line && sscanf(line, " Device Minor: %9u", ret) == 1 ? 0 : -EBADMSG;
}

/* The driver shows each GPU instance as a directory "giN". */
static bool
is_instance(const struct name *name)
{
    const char *digits = name->text + strlen("gi");

    return !strncmp(name->text, "gi", strlen("gi")) && *digits &&
           strspn(digits, "0123456789") == strlen(digits);
}

static bool
needs_instances(const struct inventory_gpu *gpu)
{
    return !inventory_offers(gpu) || ARRAY_HAS(gpu->types, gpu->type_count, type, type->slices > 0);
}

/* The GPU instance of a vGPU, "12"; "": it has none, or its driver does not tell. */
static struct name
read_instance(const struct host *host, const struct inventory_vgpu *made)
{
    const struct inventory_parent *parent = made->parent;
    const struct inventory_type *type = inventory_type_of(made);
    const struct vgpu vgpu = {.interface = parent->interface,
                              .device = made->device,
                              .type = made->type,
                              .parent = parent->name};
    struct name ret = {0};
    struct path device;
    uint64_t id;

    if (type && type->slices && parent->interface->directory(&vgpu, &device) == 0 &&
        nvidia_read_id(host, &parent->gpu->name, &device, "gpu_instance_id", &id) == 0)
        snprintf(ret.text, sizeof(ret.text), "%u", (unsigned)id);
    return ret;
}

/* Counts the GPU instances of a GPU on which there is a vGPU. */
static size_t
count_occupied(const struct host *host, const struct inventory_gpu *gpu)
{
    AUTO(names_clear) struct names ids = {0};

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct name id = read_instance(host, gpu->vgpus[i]);

        if (*id.text && !names_has(&ids, &id)) {
            names_append(&ids, &id);
            names_sort(&ids);
        }
    }
    return ids.count;
}

static void
find_instances(const struct host *host, struct inventory_gpu *gpu)
{
    AUTO(names_clear) struct names names = {0};
    unsigned minor;

    if (strcmp(gpu->driver.text, "nvidia") || !needs_instances(gpu) ||
        read_minor(host, &gpu->name, &minor) < 0 ||
        host_list(host, &names, PROC "/capabilities/gpu%u/mig", minor) < 0)
        return;
    for (size_t i = 0; i < names.count; i++)
        gpu->instances += is_instance(&names.items[i]);
    gpu->is_occupied = gpu->instances > 0 && count_occupied(host, gpu) == gpu->instances;
}

int
nvidia_read_id(const struct host *host, const struct name *card, const struct path *device,
               const char *id, uint64_t *ret)
{
    return reader_read_number(host, card, ret, "%s/nvidia/%s", device->text, id);
}

ssize_t
nvidia_read_params(const struct host *host, const struct vgpu *vgpu, char *ret, size_t size)
{
    struct path device;
    int rc = vgpu->interface->directory(vgpu, &device);

    return rc < 0 ? rc : host_read(host, ret, size, "%s/nvidia/vgpu_params", device.text);
}

/* Whether the device still has parameters. If they cannot be read, it has none: the driver knows no
 * parameters, or the function has lost its type. */
static bool
has_params(const struct host *host, const struct vgpu *vgpu)
{
    char text[64];
    ssize_t length = nvidia_read_params(host, vgpu, text, sizeof(text));

    return length < 0 ? length == -E2BIG : strspn(text, " \n") != strlen(text);
}

/* The driver drops the last byte of a text, so a line feed is added. A blank clears the present
 * parameters. */
int
nvidia_configure(const struct host *host, const struct vgpu *vgpu, const char *params)
{
    AUTO_FREE char *text = memory_format("%s\n", *params ? params : " ");
    struct path device, path;
    int rc = vgpu->interface->directory(vgpu, &device);

    if (rc == 0)
        rc = path_format(&path, "%s/nvidia/vgpu_params", device.text);
    if (rc < 0 || (!*params && !has_params(host, vgpu)))
        return rc;
    return host->ops->write(host, path.text, text);
}

/* Whether a parameter has a value that is not 0. */
static bool
is_on(const char *params, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(params, name); at; at = strstr(at + length, name)) {
        bool is_whole = at == params || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');

        if (is_whole && at[length] == '=' && strtoul(at + length + 1, NULL, 0) != 0)
            return true;
    }
    return false;
}

const char *
nvidia_find_immovable(const char *params)
{
    static const char *const names[] = {"enable_uvm", "enable_debugging", "enable_profiling"};

    for (size_t i = 0; i < COUNT(names); i++) {
        if (is_on(params, names[i]))
            return names[i];
    }
    return NULL;
}

ssize_t
nvidia_read_version(const struct host *host, char *ret, size_t size)
{
    return host_read(host, ret, size, "sys/module/nvidia/version");
}

const struct vendor vendor_nvidia = {
    .has = has,
    .describe = describe,
    .find_instances = find_instances,
    .may_combine = may_combine,
    .combination = "NVIDIA gives one guest vGPUs of one board and one series only",
};
