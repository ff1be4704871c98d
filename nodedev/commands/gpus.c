/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "cli/table.h"
#include "commands/remote-table.h"
#include "device/vgpu.h"
#include "view/host-snapshot.h"

enum column { GPU, NAME, NUMA, INTERFACE, VGPUS, SIZE, ENABLED, DRAINED, DRIVER, PARENTS };

static const struct table_column columns[] = {
    [GPU] = {.name = "GPU"},
    [NAME] = {.name = "NAME"},
    [NUMA] = {.name = "NUMA", .kind = TABLE_NUMBER},
    [INTERFACE] = {.name = "INTERFACE"},
    [VGPUS] = {.name = "VGPUS", .kind = TABLE_NUMBER},
    [SIZE] = {.name = "SIZE", .kind = TABLE_NUMBER},
    [ENABLED] = {.name = "ENABLED", .kind = TABLE_FLAG},
    [DRAINED] = {.name = "DRAINED", .kind = TABLE_FLAG, .extra = true},
    [DRIVER] = {.name = "DRIVER", .extra = true},
    [PARENTS] = {.name = "PARENTS", .kind = TABLE_NUMBER, .extra = true},
};

static void
add_gpu(struct table *table, const struct snapshot *snapshot, size_t index)
{
    const struct inventory *inventory = &snapshot->inventory;
    const struct inventory_gpu *gpu = &inventory->gpus[index];
    const struct vgpu_interface *interface = NULL;
    unsigned size = host_snapshot_size(snapshot, index);
    size_t parents = 0;
    char name[64];

    for (size_t i = 0; i < inventory->parent_count; i++) {
        if (inventory->parents[i].gpu != index)
            continue;
        interface = inventory->parents[i].interface;
        parents++;
    }
    host_snapshot_gpu_name(snapshot, index, name, sizeof(name));
    table_line(table);
    table_set(table, GPU, "%s", gpu->name.text);
    if (*name)
        table_set(table, NAME, "%s", name);
    if (gpu->numa >= 0)
        table_set(table, NUMA, "%d", gpu->numa);
    if (interface)
        table_set(table, INTERFACE, "%s", interface->kind);
    table_set(table, VGPUS, "%zu", host_snapshot_count(snapshot, index));
    if (size)
        table_set(table, SIZE, "%u", size);
    table_set_flag(table, ENABLED, host_snapshot_is_enabled(snapshot, index));
    table_set_flag(table, DRAINED, host_snapshot_is_drained(snapshot, index));
    if (*gpu->driver.text)
        table_set(table, DRIVER, "%s", gpu->driver.text);
    table_set(table, PARENTS, "%zu", parents);
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(table_end) struct table table = {0};

    if (call->options.uri_count)
        return remote_gpus(call, error);
    if (table_start(&table, "gpus", columns, COUNT(columns), &call->options, error) < 0)
        return COMMAND_USAGE;
    if (snapshot_take(&snapshot, call->host, &inventory_no_types, error) < 0)
        return COMMAND_FAILED;
    for (size_t i = 0; i < snapshot.inventory.gpu_count; i++)
        add_gpu(&table, &snapshot, i);
    return table_print(&table, call->out, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_gpus = {
    .name = "gpus",
    .arguments = "",
    .help = "show the GPUs that offer vGPUs",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE,
    .run = run,
};
