/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "commands/remote-table.h"
#include "cli/table.h"
#include "device/vgpu.h"
#include "libvirt/remote.h"
#include "view/host-snapshot.h"

#include <string.h>

/* One of the three commands: its table, and what it says of one host. */
struct show {
    const char *name;
    const struct table_column *columns;
    size_t count;
    /* How many lines it has added. */
    size_t (*add)(struct table *table, const struct remote_host *host, const char *gpu);
};

/* Of several hosts without an answer each has its line; of one alone it is the command's. */
static enum command_status
conclude(const struct command_call *call, const struct remote_hosts *hosts, struct error *error)
{
    size_t failures = remote_failures(hosts);

    if (failures == 0)
        return COMMAND_DONE;
    if (hosts->count == 1) {
        error_set(error, -EIO, "%s", hosts->items[0].failure.text);
        return COMMAND_FAILED;
    }
    for (size_t i = 0; i < hosts->count; i++) {
        if (*hosts->items[i].failure.text)
            fprintf(call->faults, "vgpuctl: %s\n", hosts->items[i].failure.text);
    }
    error_set(error, -EIO, "%zu of %zu hosts gave no answer", failures, hosts->count);
    return COMMAND_FAILED;
}

static enum command_status
ask_and_show(const struct command_call *call, const struct show *show, struct error *error)
{
    const char *gpu = call->count ? call->arguments[0] : NULL;
    AUTO(remote_clear) struct remote_hosts hosts = {0};
    AUTO(table_end) struct table table = {0};
    unsigned seconds;
    size_t lines = 0;

    if (option_given(&call->options, OPTION_ROOT)) {
        error_set(error, -EINVAL, "--root is this machine's, --connect another's: one of them");
        return COMMAND_USAGE;
    }
    if (options_timeout(&call->options, &seconds, error) < 0 ||
        table_start(&table, show->name, show->columns, show->count, &call->options, error) < 0)
        return COMMAND_USAGE;
    if (remote_ask(call->host, call->options.uris, call->options.uri_count, seconds, &hosts,
                   error) < 0)
        return COMMAND_FAILED;
    for (size_t i = 0; i < hosts.count; i++) {
        if (!*hosts.items[i].failure.text)
            lines += show->add(&table, &hosts.items[i], gpu);
    }
    if (table_print(&table, call->out, error) < 0)
        return COMMAND_FAILED;
    if (gpu && lines == 0 && remote_failures(&hosts) == 0) {
        error_set(error, -ENOENT, "no host has a GPU \"%s\" whose types libvirt tells", gpu);
        return COMMAND_FAILED;
    }
    return conclude(call, &hosts, error);
}

/* --- gpus --- */

enum gpus_column {
    GPUS_HOST,
    GPUS_GPU,
    GPUS_NAME,
    GPUS_NUMA,
    GPUS_INTERFACE,
    GPUS_VGPUS,
    GPUS_SIZE,
    GPUS_ENABLED,
    GPUS_DRIVER,
    GPUS_DRAINED,
    GPUS_PARENTS,
};

/* SIZE, ENABLED and DRAINED are never known; a TABLE_FLAG could not say so in JSON. */
static const struct table_column gpus_columns[] = {
    [GPUS_HOST] = {.name = "HOST"},
    [GPUS_GPU] = {.name = "GPU"},
    [GPUS_NAME] = {.name = "NAME"},
    [GPUS_NUMA] = {.name = "NUMA", .kind = TABLE_NUMBER},
    [GPUS_INTERFACE] = {.name = "INTERFACE"},
    [GPUS_VGPUS] = {.name = "VGPUS", .kind = TABLE_NUMBER},
    [GPUS_SIZE] = {.name = "SIZE", .kind = TABLE_NUMBER},
    [GPUS_ENABLED] = {.name = "ENABLED"},
    [GPUS_DRIVER] = {.name = "DRIVER", .extra = true},
    [GPUS_DRAINED] = {.name = "DRAINED", .extra = true},
    [GPUS_PARENTS] = {.name = "PARENTS", .kind = TABLE_NUMBER, .extra = true},
};

static void
add_gpu(struct table *table, const struct remote_host *host, size_t index)
{
    /* All that there is of a survey. */
    const struct snapshot snapshot = {.inventory = host->inventory};
    const struct inventory_gpu *gpu = &snapshot.inventory.gpus[index];
    size_t parents = 0;
    char name[64];

    for (size_t i = 0; i < snapshot.inventory.parent_count; i++)
        parents += snapshot.inventory.parents[i].gpu == index;
    host_snapshot_gpu_name(&snapshot, index, name, sizeof(name));
    table_line(table);
    table_set(table, GPUS_HOST, "%s", host->label);
    table_set(table, GPUS_GPU, "%s", gpu->name.text);
    if (*name)
        table_set(table, GPUS_NAME, "%s", name);
    if (gpu->numa >= 0)
        table_set(table, GPUS_NUMA, "%d", gpu->numa);
    /* What its functions are and have is not told. */
    if (!gpu->is_partial) {
        table_set(table, GPUS_INTERFACE, "%s", vgpu_mdev.kind);
        table_set(table, GPUS_VGPUS, "%zu", host_snapshot_count(&snapshot, index));
    }
    if (*gpu->driver.text)
        table_set(table, GPUS_DRIVER, "%s", gpu->driver.text);
    table_set(table, GPUS_PARENTS, "%zu", parents);
}

static size_t
add_gpus(struct table *table, const struct remote_host *host, const char *gpu)
{
    (void)gpu;
    for (size_t i = 0; i < host->inventory.gpu_count; i++)
        add_gpu(table, host, i);
    return host->inventory.gpu_count;
}

enum command_status
remote_gpus(const struct command_call *call, struct error *error)
{
    static const struct show show = {"gpus", gpus_columns, COUNT(gpus_columns), add_gpus};

    return ask_and_show(call, &show, error);
}

/* --- types --- */

enum types_column {
    TYPES_HOST,
    TYPES_GPU,
    TYPES_TYPE,
    TYPES_NAME,
    TYPES_FRAMEBUFFER,
    TYPES_HEADS,
    TYPES_RESOLUTION,
    TYPES_MAX,
    TYPES_AVAILABLE,
    TYPES_AT_MOST,
    TYPES_SLICES,
    TYPES_CLASSES,
};

/* From FRAMEBUFFER to AVAILABLE nothing is ever known, nor are SLICES and CLASSES. */
static const struct table_column types_columns[] = {
    [TYPES_HOST] = {.name = "HOST"},
    [TYPES_GPU] = {.name = "GPU"},
    [TYPES_TYPE] = {.name = "TYPE"},
    [TYPES_NAME] = {.name = "NAME"},
    [TYPES_FRAMEBUFFER] = {.name = "FRAMEBUFFER", .kind = TABLE_NUMBER},
    [TYPES_HEADS] = {.name = "HEADS", .kind = TABLE_NUMBER},
    [TYPES_RESOLUTION] = {.name = "RESOLUTION"},
    [TYPES_MAX] = {.name = "MAX", .kind = TABLE_NUMBER},
    [TYPES_AVAILABLE] = {.name = "AVAILABLE", .kind = TABLE_NUMBER},
    [TYPES_AT_MOST] = {.name = "AVAILABLE-AT-MOST", .kind = TABLE_NUMBER},
    [TYPES_SLICES] = {.name = "SLICES", .kind = TABLE_NUMBER},
    [TYPES_CLASSES] = {.name = "CLASSES", .extra = true},
};

static size_t
add_types(struct table *table, const struct remote_host *host, const char *only)
{
    const struct inventory *inventory = &host->inventory;
    size_t lines = 0;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = &inventory->gpus[i];

        for (size_t k = 0; k < gpu->count && (!only || !strcasecmp(only, gpu->name.text)); k++) {
            int most = inventory_at_most(inventory, i, k);

            table_line(table);
            table_set(table, TYPES_HOST, "%s", host->label);
            table_set(table, TYPES_GPU, "%s", gpu->name.text);
            table_set(table, TYPES_TYPE, "%s", gpu->types[k].id.text);
            table_set(table, TYPES_NAME, "%s", gpu->types[k].name);
            if (most >= 0)
                table_set(table, TYPES_AT_MOST, "%d", most);
            lines++;
        }
    }
    return lines;
}

enum command_status
remote_types(const struct command_call *call, struct error *error)
{
    static const struct show show = {"types", types_columns, COUNT(types_columns), add_types};

    return ask_and_show(call, &show, error);
}

/* --- list --- */

enum list_column {
    LIST_HOST,
    LIST_DEVICE,
    LIST_TYPE,
    LIST_NAME,
    LIST_PARENT,
    LIST_GPU,
    LIST_STATE,
    LIST_DOMAIN,
    LIST_DOMAIN_UUID,
    LIST_ALIAS,
    LIST_ORIGIN,
};

/* STATE and ORIGIN are the ledger's to say, which only its own host has. */
static const struct table_column list_columns[] = {
    [LIST_HOST] = {.name = "HOST"},
    [LIST_DEVICE] = {.name = "DEVICE"},
    [LIST_TYPE] = {.name = "TYPE"},
    [LIST_NAME] = {.name = "NAME"},
    [LIST_PARENT] = {.name = "PARENT"},
    [LIST_GPU] = {.name = "GPU"},
    [LIST_STATE] = {.name = "STATE"},
    [LIST_DOMAIN] = {.name = "DOMAIN"},
    [LIST_DOMAIN_UUID] = {.name = "DOMAIN-UUID"},
    [LIST_ALIAS] = {.name = "ALIAS", .extra = true},
    [LIST_ORIGIN] = {.name = "ORIGIN", .extra = true},
};

/* The alias of a device in one definition, or NULL. */
static const char *
find_alias(const struct request *request, const struct name *device)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (name_equal(&request->hostdevs[i].source, device))
            return request->hostdevs[i].alias;
    }
    return NULL;
}

/* Who has it: a running guest before others. That no domain refers to it, libvirt does tell. */
static void
add_user(struct table *table, const struct remote_host *host, const struct name *device)
{
    const struct domain *domain = domains_next_user(&host->domains, device, NULL);
    const char *alias;

    if (!domain && host->domains.complete)
        table_set(table, LIST_STATE, "orphan");
    if (!domain)
        return;
    alias = find_alias(&domain->live, device);
    if (!alias)
        alias = find_alias(&domain->config, device);
    table_set(table, LIST_DOMAIN, "%s", domain->name);
    table_set(table, LIST_DOMAIN_UUID, "%s", domain->uuid.text);
    if (alias)
        table_set(table, LIST_ALIAS, "%s", alias);
}

/* A virtual function that makes no mediated devices, and that a running guest has: it has a type,
 * or QEMU would not have got it. */
static size_t
add_functions_of(struct table *table, const struct remote_host *host, const struct domain *domain)
{
    const struct inventory *inventory = &host->inventory;
    size_t lines = 0;

    for (size_t i = 0; i < domain->live.hostdev_count; i++) {
        const struct request_hostdev *hostdev = &domain->live.hostdevs[i];
        size_t parent = 0;

        while (parent < inventory->parent_count &&
               (inventory->parents[parent].interface ||
                !name_equal(&inventory->parents[parent].name, &hostdev->source)))
            parent++;
        if (parent == inventory->parent_count)
            continue;
        table_line(table);
        table_set(table, LIST_HOST, "%s", host->label);
        table_set(table, LIST_DEVICE, "%s", hostdev->source.text);
        table_set(table, LIST_PARENT, "%s", hostdev->source.text);
        table_set(table, LIST_GPU, "%s", inventory->gpus[inventory->parents[parent].gpu].name.text);
        add_user(table, host, &hostdev->source);
        lines++;
    }
    return lines;
}

static size_t
add_vgpus(struct table *table, const struct remote_host *host, const char *gpu)
{
    const struct inventory *inventory = &host->inventory;
    size_t lines = inventory->vgpu_count;

    (void)gpu;
    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct inventory_parent *parent = &inventory->parents[vgpu->parent];
        const struct inventory_gpu *card = &inventory->gpus[parent->gpu];
        const struct inventory_type *type = inventory_find_type(card, &vgpu->type);

        table_line(table);
        table_set(table, LIST_HOST, "%s", host->label);
        table_set(table, LIST_DEVICE, "%s", vgpu->device.text);
        table_set(table, LIST_TYPE, "%s", vgpu->type.text);
        if (type)
            table_set(table, LIST_NAME, "%s", type->name);
        table_set(table, LIST_PARENT, "%s", parent->name.text);
        table_set(table, LIST_GPU, "%s", card->name.text);
        add_user(table, host, &vgpu->device);
    }
    for (size_t i = 0; i < host->domains.count; i++)
        lines += add_functions_of(table, host, &host->domains.items[i]);
    return lines;
}

enum command_status
remote_list(const struct command_call *call, struct error *error)
{
    static const struct show show = {"vgpus", list_columns, COUNT(list_columns), add_vgpus};

    return ask_and_show(call, &show, error);
}
