/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/captured.h"
#include "actions/snapshot.h"
#include "capture/playback.h"
#include "device/vgpu.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- types ------------------------------------------------------------------------------------ */

/* How many vGPUs of a type an idle GPU takes by its limits. UINT_MAX: no limit tells. */
static unsigned
most_of(const struct inventory_gpu *gpu, size_t type)
{
    uint64_t most = UINT_MAX;

    for (size_t i = 0; i < gpu->limit_count; i++) {
        const struct limit *limit = &gpu->limits[i];
        uint64_t need = limit->binds[type] ? limit->needs[type] : 0;

        if (need && limit->total / need < most)
            most = limit->total / need;
    }
    return (unsigned)most;
}

static void
put_type(FILE *out, const struct inventory_type *type, const char *rest)
{
    if (type->slices)
        fail_msg("%s: a type of GPU instances cannot be played yet", type->id.text);
    fprintf(out, "type %s \"%s\" framebuffer %u heads %u %s%s\n", type->id.text, type->name,
            type->framebuffer, type->heads, inventory_type_has_name(type) ? "" : "nameless ", rest);
}

/* Types with a maximum: this many vGPUs of each fit. */
static void
put_sizes(FILE *out, const struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < gpu->type_count; i++) {
        unsigned most = most_of(gpu, i);
        char rest[32];

        if (most == UINT_MAX)
            fail_msg("%s: nobody tells how many %s fit", gpu->name.text, gpu->types[i].id.text);
        snprintf(rest, sizeof(rest), "max %u", most);
        put_type(out, &gpu->types[i], rest);
    }
}

/* Types that share units. The units that are left suffice for a number of vGPUs of the smallest
 * type. This number counts as the number of units. */
static void
put_units(FILE *out, const struct inventory_parent *parent)
{
    const struct inventory_gpu *gpu = parent->gpu;
    unsigned units = 0, left = 0;

    for (size_t i = 0; i < gpu->type_count; i++) {
        if (parent->available[i] <= 0)
            fail_msg("%s: it is full, so its units cannot be told", gpu->name.text);
        if ((unsigned)parent->available[i] > left)
            left = (unsigned)parent->available[i];
    }
    units = left;
    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct inventory_type *type = inventory_type_of(gpu->vgpus[i]);

        if (gpu->vgpus[i]->parent == parent && type)
            units += left / (unsigned)parent->available[inventory_type_index(type)];
    }
    fprintf(out, " rule pool %u\n", units);
    for (size_t i = 0; i < gpu->type_count; i++) {
        char rest[32];

        snprintf(rest, sizeof(rest), "uses %u", left / (unsigned)parent->available[i]);
        put_type(out, &gpu->types[i], rest);
    }
}

/* --- GPUs ------------------------------------------------------------------------------------- */

static void
put_ids(FILE *out, const struct inventory_gpu *gpu)
{
    if (*gpu->driver.text)
        fprintf(out, " driver %s", gpu->driver.text);
    if (*gpu->vendor)
        fprintf(out, " vendor %s device %s", gpu->vendor, gpu->device);
    if (*gpu->subsystem_device)
        fprintf(out, " subsystem %s", gpu->subsystem_device);
    if (gpu->numa >= 0)
        fprintf(out, " numa %d", gpu->numa);
}

/* The functions of a pool belong to their card. A device without a card is a card of its own
 * here. */
static void
put_pool(FILE *out, const struct inventory *inventory, const struct inventory_gpu *gpu)
{
    for (size_t i = 0; i < gpu->parent_count; i++) {
        const struct inventory_parent *parent = gpu->parents[i];

        fprintf(out, "pci %s driver vfio-pci", parent->name.text);
        if (!name_equal(&parent->name, &gpu->name))
            fprintf(out, " physfn %s", gpu->name.text);
        fprintf(out, " vendor %s device %s\n", gpu->vendor, gpu->device);
    }
    if (!inventory_find_parent(inventory, &gpu->name)) {
        fprintf(out, "pci %s", gpu->name.text);
        put_ids(out, gpu);
        fprintf(out, "\n");
    }
}

static void
put_xe(FILE *out, const struct inventory_gpu *gpu)
{
    const struct limit *memory = inventory_memory(gpu);

    if (!memory)
        fail_msg("%s: nobody tells how much memory it has", gpu->name.text);
    fprintf(out, " xe memory %llu\n", (unsigned long long)memory->total);
    for (size_t i = 0; i < gpu->type_count; i++)
        put_type(out, &gpu->types[i], "");
}

static void
put_gpu(FILE *out, const struct inventory *inventory, const struct inventory_gpu *gpu)
{
    const struct inventory_parent *first = gpu->parent_count ? gpu->parents[0] : NULL;

    if (!first || first->interface == &vgpu_pool)
        return first ? put_pool(out, inventory, gpu) : (void)0;
    fprintf(out, "gpu %s", gpu->name.text);
    put_ids(out, gpu);
    if (!name_equal(&first->name, &gpu->name))
        fprintf(out, " vfs %zu", gpu->parent_count);
    if (first->interface == &vgpu_xe)
        return put_xe(out, gpu);
    if (most_of(gpu, 0) == UINT_MAX)
        return put_units(out, first);
    fprintf(out, first->interface == &vgpu_vf ? " vf rule size\n" : " rule size\n");
    put_sizes(out, gpu);
}

/* --- the capture ------------------------------------------------------------------------------ */

static char *
read_configuration(const struct host *host)
{
    AUTO_CLOSE int fd = -1;
    struct path path;
    char text[65536];
    ssize_t length;

    assert_int_equal(path_format(&path, "%s/vgpu.conf", host->config), 0);
    fd = host_open(host, path.text, O_RDONLY, 0);
    length = fd < 0 ? 0 : read(fd, text, sizeof(text));
    assert_true(length >= 0 && length < (ssize_t)sizeof(text));
    return strndup(text, (size_t)length);
}

void
captured_read(struct captured *ret, const char *name)
{
    static const struct host nowhere = {.root = -1, .ops = &host_kernel, .config = "etc"};
    AUTO(playback_clear) struct playback playback = {0};
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO_FREE char *path = NULL;
    struct error error = {0};
    size_t size;
    FILE *out;

    assert_true(asprintf(&path, "%s/tests/captures/%s", scene_sources(), name) > 0);
    if (playback_open(&playback, &nowhere, path, &error) != 1 ||
        snapshot_take(&snapshot, &playback.host, &inventory_all_types, &error) < 0)
        fail_msg("%s: %s", path, error.text);
    out = open_memstream(&ret->machine, &size);
    for (size_t i = 0; i < snapshot.inventory.gpu_count; i++)
        put_gpu(out, &snapshot.inventory, snapshot.inventory.gpus[i]);
    fclose(out);
    ret->configuration = read_configuration(&playback.host);
}

void
captured_clear(struct captured *captured)
{
    free(captured->machine);
    free(captured->configuration);
}

void
captured_list(struct words *ret)
{
    AUTO_FREE char *path = NULL;

    assert_true(asprintf(&path, "%s/tests/captures", scene_sources()) > 0);
    assert_int_equal(words_read_directory(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret), 0);
}
