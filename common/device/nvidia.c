/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/nvidia.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/reader.h"
#include "device/nvidia-extract.h"
#include "device/nvidia-number.h"
#include "device/pci.h"
#include "device/type-name.h"
#include "device/vendor.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define PROC  "proc/driver/nvidia"
#define MAJOR 195 /* of /dev/nvidia0 and its like, in Linux' devices.txt */

/* --- what the name of a type tells ------------------------------------------------------------ */

/* What its id tells: nvidia-number.h. A name has the board, the size in GB and the series:
 * "GRID T4-1B", "NVIDIA A40-48C". A type for GPU instances (MIG) also has the slices: 1 of "NVIDIA
 * A100-1-5C". */

/* The most vGPUs that the driver makes (ctrla081.h of its open kernel modules, 595): on a GPU that
 * is shared in time (NVA081_MAX_VGPU_PER_PGPU_NON_MIG), and on a GPU instance
 * (NVA081_MAX_VGPU_PER_GI). */
#define MOST_ON_GPU      32
#define MOST_ON_INSTANCE 12

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
    const char *word = type_name_last_word(type->name), *dash = strrchr(word, '-'), *size;

    *ret = (struct title){0};
    if (nvidia_number(&type->id) == 0 || !dash)
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
nvidia_type_describe(struct inventory_type *type)
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

/* A type is NVIDIA's because its card is. If the type is on no card, its id decides. */
static bool
nvidia_type_is(const struct inventory_type *type)
{
    return nvidia_number(&type->id) > 0 &&
           (!type->gpu || !strcmp(type->gpu->vendor, NVIDIA_VENDOR));
}

/* NVIDIA AI Enterprise documentation 8.1, "Multi-vGPU": several vGPUs of one guest may have unlike
 * frame buffers, "provided the board type and the series of all the vGPUs are the same". */
static bool
nvidia_type_may_combine(const struct inventory_type *a, const struct inventory_type *b)
{
    struct title one, other;

    if (!parse_title(a, &one) || !parse_title(b, &other))
        return true;
    return one.series == other.series && one.board == other.board &&
           !memcmp(a->name, b->name, one.board);
}

/* --- what the driver tells -------------------------------------------------------------------- */

/* A directory whose name is an id keeps that name, and its card is not looked at here. Whose type
 * it is, nvidia_type_is asks later. */
void
nvidia_give_id(const struct host *host, const struct name *parent, struct name *type)
{
    unsigned number = nvidia_number(type) ? 0 : nvidia_number_of_directory(type->text);

    if (number && pci_is_of(host, parent, NVIDIA_VENDOR))
        nvidia_number_id(number, type);
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

int
nvidia_node(const struct host *host, const struct name *gpu, struct node *ret)
{
    unsigned minor;
    int rc = read_minor(host, gpu, &minor);

    *ret = (struct node){.number = rc < 0 ? 0 : makedev(MAJOR, minor)};
    return rc;
}

/* The driver shows each GPU instance as a directory "giN". */
static bool
is_instance(const struct name *name)
{
    const char *digits = name->text + strlen("gi");

    return !strncmp(name->text, "gi", strlen("gi")) && *digits &&
           strspn(digits, "0123456789") == strlen(digits);
}

int
nvidia_count_instances(const struct host *host, const struct name *gpu)
{
    AUTO(names_clear) struct names names = {0};
    unsigned minor;
    int rc = read_minor(host, gpu, &minor), count = 0;

    if (rc == 0)
        rc = host_list(host, &names, PROC "/capabilities/gpu%u/mig", minor);
    for (size_t i = 0; i < names.count; i++)
        count += is_instance(&names.items[i]);
    return rc < 0 ? rc : count;
}

static bool
needs_instances(const struct inventory_gpu *gpu)
{
    return !inventory_offers(gpu) || inventory_has_instance_types(gpu);
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

        if (*id.text)
            names_append_new(&ids, &id);
    }
    return ids.count;
}

static void
find_instances(const struct host *host, struct inventory_gpu *gpu)
{
    int count = -ENODEV;

    if (!strcmp(gpu->driver.text, "nvidia") && needs_instances(gpu))
        count = nvidia_count_instances(host, &gpu->name);
    if (count < 0)
        return;
    gpu->instances = (unsigned)count;
    gpu->is_occupied = gpu->instances > 0 && count_occupied(host, gpu) == gpu->instances;
}

/* A driver that lists only what it would make now leaves these questions open: which other types
 * there are, and how many of each. No driver tells which types are single. */
static bool
needs_table(const struct inventory_gpu *gpu, const struct inventory_filter *filter)
{
    return (gpu->is_partial || filter->wants_singles) && !strcmp(gpu->vendor, NVIDIA_VENDOR);
}

/* Adds what the table says of a type. What the driver or the type's name tells stays, because that
 * is right. */
static void
complete_type(struct inventory_type *type, const struct nvidia_table_type *said)
{
    type->is_in_table = true;
    type->is_single = said->is_single;
    if (!type->framebuffer)
        type->framebuffer = said->type.framebuffer;
    if (!type->heads)
        type->heads = said->type.heads;
    if (!*type->resolution)
        memcpy(type->resolution, said->type.resolution, sizeof(type->resolution));
    if (!type->max && said->max) {
        type->max = said->max;
        type->max_source = LIMIT_TABLE;
    }
}

/* A GPU with GPU instances has only types for these, and another one has none of them. But a type
 * that the driver lists is there in any case, and a driver that lists all has no others. */
static void
add_table(struct inventory_gpu *gpu, const struct nvidia_table_card *card)
{
    for (size_t i = 0; i < card->type_count; i++) {
        const struct nvidia_table_type *said = &card->types[i];

        if (inventory_find_type(gpu, &said->type.id) ||
            (gpu->is_partial && (said->type.slices > 0) == (gpu->instances > 0)))
            complete_type(inventory_add_type(gpu, &said->type), said);
        gpu->has_all_sizes |= said->type.slices == 0 && gpu->instances == 0;
    }
}

static void
read_table(const struct host *host, const struct inventory_filter *filter,
           struct inventory *inventory)
{
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    AUTO_FREE struct inventory_gpu **gpus = NULL;
    AUTO_FREE struct nvidia_table_ids *ids = NULL;
    size_t count = 0, id_count = 0;
    struct error error = {0};
    int rc;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        if (!needs_table(inventory->gpus[i], filter))
            continue;
        ARRAY_ADD(gpus, count, inventory->gpus[i]);
        ARRAY_ADD(ids, id_count, nvidia_table_ids_of(inventory->gpus[i]));
    }
    if (count == 0)
        return;
    rc = nvidia_extract_find(host, ids, count, &table, &inventory->extract, &error);
    if (rc < 0 && inventory->extract)
        inventory->table_fault = error;
    for (size_t i = 0; i < table.count; i++)
        add_table(gpus[i], &table.cards[i]);
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
    .has = nvidia_type_is,
    .describe = nvidia_type_describe,
    .find_instances = find_instances,
    .read_table = read_table,
    .may_combine = nvidia_type_may_combine,
    .combination = "NVIDIA gives one guest vGPUs of one board and one series only",
};
