/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "cli/table.h"
#include "commands/remote-table.h"
#include "placement/demand.h"
#include "view/availability.h"
#include "view/host-snapshot.h"

#include <stdio.h>
#include <string.h>

enum column {
    GPU,
    TYPE,
    NAME,
    FRAMEBUFFER,
    HEADS,
    RESOLUTION,
    MAX,
    AVAILABLE,
    AT_MOST,
    SLICES,
    CLASSES
};

static const struct table_column columns[] = {
    [GPU] = {.name = "GPU"},
    [TYPE] = {.name = "TYPE"},
    [NAME] = {.name = "NAME"},
    [FRAMEBUFFER] = {.name = "FRAMEBUFFER", .kind = TABLE_NUMBER},
    [HEADS] = {.name = "HEADS", .kind = TABLE_NUMBER},
    [RESOLUTION] = {.name = "RESOLUTION"},
    [MAX] = {.name = "MAX", .kind = TABLE_NUMBER},
    [AVAILABLE] = {.name = "AVAILABLE", .kind = TABLE_NUMBER},
    [AT_MOST] = {.name = "AVAILABLE-AT-MOST", .kind = TABLE_NUMBER},
    [SLICES] = {.name = "SLICES", .kind = TABLE_NUMBER},
    [CLASSES] = {.name = "CLASSES", .extra = true},
};

static void
set_known(struct table *table, enum column column, unsigned value)
{
    if (value)
        table_set(table, column, "%u", value);
}

/* Every class that it would do for, parted by commas. */
static void
add_classes(struct table *table, const struct policy *policy, const struct inventory_type *type)
{
    char names[512] = "";

    for (size_t i = 0; table_shows(table, CLASSES) && i < policy->class_count; i++) {
        size_t at = strlen(names);

        if (demand_class_has(&policy->classes[i], type))
            snprintf(names + at, sizeof(names) - at, "%s%s", at ? "," : "",
                     policy->classes[i].name);
    }
    if (*names)
        table_set(table, CLASSES, "%s", names);
}

static void
add_type(struct table *table, const struct snapshot *snapshot,
         const struct availability *availability, size_t gpu, size_t index)
{
    const struct inventory_gpu *card = &snapshot->inventory.gpus[gpu];
    const struct inventory_type *type = &card->types[index];
    int most, available = availability_of(availability, gpu, index, &most);

    table_line(table);
    table_set(table, GPU, "%s", card->name.text);
    table_set(table, TYPE, "%s", type->id.text);
    table_set(table, NAME, "%s", type->name);
    set_known(table, FRAMEBUFFER, type->framebuffer);
    set_known(table, HEADS, type->heads);
    if (*type->resolution)
        table_set(table, RESOLUTION, "%s", type->resolution);
    set_known(table, MAX, type->max);
    if (available >= 0)
        table_set(table, AVAILABLE, "%d", available);
    set_known(table, SLICES, type->slices);
    if (most >= 0)
        table_set(table, AT_MOST, "%d", most);
    add_classes(table, &snapshot->policy, type);
}

static int
by_id(const void *a, const void *b, void *gpu)
{
    const struct inventory_type *types = ((const struct inventory_gpu *)gpu)->types;

    return strverscmp(types[*(const size_t *)a].id.text, types[*(const size_t *)b].id.text);
}

/* In the order of their numbers: the inventory's is that in which they were come upon. */
static int
add_types(struct table *table, const struct snapshot *snapshot,
          const struct availability *availability, size_t index)
{
    struct inventory_gpu *gpu = &snapshot->inventory.gpus[index];
    AUTO_FREE size_t *order = calloc(gpu->count + 1, sizeof(*order));

    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < gpu->count; i++)
        order[i] = i;
    qsort_r(order, gpu->count, sizeof(*order), by_id, gpu);
    for (size_t i = 0; i < gpu->count; i++)
        add_type(table, snapshot, availability, index, order[i]);
    return 0;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(availability_clear) struct availability availability = {0};
    AUTO(table_end) struct table table = {0};
    size_t first = 0, end;

    if (call->options.uri_count)
        return remote_types(call, error);
    if (table_start(&table, "types", columns, COUNT(columns), &call->options, error) < 0)
        return COMMAND_USAGE;
    if (snapshot_take(&snapshot, call->host, &inventory_all_types, error) < 0)
        return COMMAND_FAILED;
    if (availability_init(&availability, call->host, &snapshot, error) < 0)
        return COMMAND_FAILED;
    end = snapshot.inventory.gpu_count;
    if (call->count) {
        if (host_snapshot_find_gpu(&snapshot, call->arguments[0], &first, error) < 0)
            return COMMAND_FAILED;
        end = first + 1;
    }
    for (size_t gpu = first; gpu < end; gpu++) {
        if (add_types(&table, &snapshot, &availability, gpu) < 0) {
            error_set(error, -ENOMEM, "no memory for the types");
            return COMMAND_FAILED;
        }
    }
    return table_print(&table, call->out, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_types = {
    .name = "types",
    .arguments = "[GPU]",
    .help = "show the types of vGPUs, and how many more there is room for",
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE,
    .run = run,
};
