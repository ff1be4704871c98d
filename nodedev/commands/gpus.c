/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "commands/commands.h"
#include "commands/host-table.h"
#include "device/pci.h"
#include "device/vgpu.h"
#include "view/gpu-view.h"
#include "view/setup-view.h"
#include "view/usage.h"

#include <limits.h>

enum column {
    GPU,
    NAME,
    NUMA,
    INTERFACE,
    MADE,
    SIZE,
    TOTAL,
    FREE,
    ENABLED,
    DRAINED,
    DRIVER,
    PARENTS,
    USED,
    FREE_AT_MOST,
    SETUP
};

static const struct table_column columns[] = {
    [GPU] = {.name = "GPU"},
    [NAME] = {.name = "NAME", .drop = 5},
    [NUMA] = {.name = "NUMA", .kind = TABLE_NUMBER, .drop = 2},
    [INTERFACE] = {.name = "INTERFACE", .drop = 1},
    [MADE] = {.name = "MADE", .kind = TABLE_NUMBER},
    [SIZE] = {.name = "SIZE", .kind = TABLE_NUMBER, .drop = 3},
    [TOTAL] = {.name = "TOTAL", .kind = TABLE_NUMBER, .drop = 4},
    [FREE] = {.name = "FREE", .kind = TABLE_NUMBER, .drop = 8},
    [ENABLED] = {.name = "ENABLED", .kind = TABLE_FLAG, .drop = 9},
    [DRAINED] = {.name = "DRAINED", .kind = TABLE_FLAG, .extra = true},
    [DRIVER] = {.name = "DRIVER", .extra = true},
    [PARENTS] = {.name = "PARENTS", .kind = TABLE_NUMBER, .extra = true},
    [USED] = {.name = "USED", .kind = TABLE_NUMBER, .extra = true},
    [FREE_AT_MOST] = {.name = "FREE-AT-MOST", .kind = TABLE_NUMBER, .extra = true},
    [SETUP] = {.name = "SETUP", .extra = true},
};

/* Adds MiB of frame buffer. libvirt does not tell whether a GPU has one. */
static void
add_room(struct table *table, const struct host_view *view, const struct inventory_gpu *gpu)
{
    static const enum column of_memory[] = {TOTAL, USED, FREE, FREE_AT_MOST};
    struct gpu_usage usage;

    usage_of(view, gpu, &usage);
    for (size_t i = 0; usage.is_in_vgpus && !view->is_remote && i < COUNT(of_memory); i++)
        table_set_none(table, of_memory[i]);
    if (usage.is_in_vgpus)
        return;
    table_set_figure(table, TOTAL, usage.total);
    table_set_figure(table, USED, usage.used);
    table_set_figure(table, FREE, bounds_figure(&usage.free));
    table_set_figure(table, FREE_AT_MOST, bounds_most(&usage.free));
}

/* Whether the GPU is as vgpu.conf declares it. */
static void
add_setup(struct table *table, const struct host_view *view, const struct name *gpu)
{
    const struct snapshot *snapshot = &view->snapshot;
    const struct policy_gpu *said = policy_find_gpu(&snapshot->policy, gpu);
    char text[64];
    struct setup_judgment judgment;

    if (!said && view->knows_policy)
        table_set_text(table, SETUP, "");
    if (!said || !table_shows(table, SETUP))
        return;
    judgment = setup_view_judge(view->call->host, said, &snapshot->inventory);
    table_set_text(table, SETUP, setup_view_tell(&judgment, text, sizeof(text)));
}

/* People read who said no. Programs have DRAINED for that. */
static void
add_enabled(struct table *table, const struct host_view *view, const struct inventory_gpu *gpu)
{
    const struct snapshot *snapshot = &view->snapshot;
    bool is_for_people = !table->json && !option_given(&view->call->options, OPTION_RAW);

    if (is_for_people && !view->is_remote && gpu_view_is_drained(snapshot, gpu))
        table_set_text(table, ENABLED, "drained");
    else if (view->knows_policy)
        table_set_flag(table, ENABLED, gpu_view_is_enabled(snapshot, gpu));
}

static void
add_gpu(struct table *table, const struct host_view *view, const struct inventory_gpu *gpu)
{
    const struct snapshot *snapshot = &view->snapshot;
    const struct vgpu_interface *interface =
        gpu->parent_count ? gpu->parents[gpu->parent_count - 1]->interface : NULL;
    unsigned size = gpu_view_size(gpu);
    char name[64];

    gpu_view_name(gpu, name, sizeof(name));
    table_line(table);
    table_set(table, GPU, "%s", gpu->name.text);
    table_set_text(table, NAME, view->is_remote && !*name ? NULL : name);
    if (gpu->numa >= 0)
        table_set(table, NUMA, "%d", gpu->numa);
    else if (!view->is_remote)
        table_set_none(table, NUMA);
    /* For functions that make no mediated devices, libvirt does not tell the interface. */
    if (interface && *interface->kind) {
        table_set(table, INTERFACE, "%s", interface->kind);
        table_set(table, MADE, "%zu", gpu->vgpu_count);
    } else if (!view->is_remote) {
        table_set_none(table, INTERFACE);
        table_set(table, MADE, "0");
    }
    if (size)
        table_set(table, SIZE, "%u", size);
    else
        table_set_none(table, SIZE);
    add_enabled(table, view, gpu);
    if (!view->is_remote && snapshot->ledger.drained_rc == 0)
        table_set_flag(table, DRAINED, gpu_view_is_drained(snapshot, gpu));
    table_set_text(table, DRIVER, view->is_remote && !*gpu->driver.text ? NULL : gpu->driver.text);
    table_set(table, PARENTS, "%zu", gpu->parent_count);
    if (gpu->parent_count)
        add_room(table, view, gpu);
    add_setup(table, view, &gpu->name);
}

static void
add_bare(struct table *table, const struct host_view *view, const struct name *address)
{
    const struct host *host = view->call->host;
    struct inventory_gpu bare = {.name = *address, .numa = -1, .driver = pci_driver(host, address)};
    uint64_t node;

    if (host_read_number(host, &node, PCI_DEVICES "/%s/numa_node", address->text) == 0 &&
        node <= INT_MAX)
        bare.numa = (int)node;
    add_gpu(table, view, &bare);
}

/* Cards that vgpu.conf declares, and that offer nothing: a boot has taken what they had. */
static void
add_declared(struct table *table, const struct host_view *view)
{
    const struct snapshot *snapshot = &view->snapshot;

    for (size_t i = 0; i < snapshot->policy.gpu_count; i++) {
        const struct policy_gpu *said = &snapshot->policy.gpus[i];

        if (policy_has_setup(said) && !inventory_find_gpu(&snapshot->inventory, &said->address) &&
            host_exists(view->call->host, PCI_DEVICES "/%s", said->address.text))
            add_bare(table, view, &said->address);
    }
}

static int
add_gpus(struct table *table, const struct host_view *view, struct error *error)
{
    (void)error;
    for (size_t i = 0; i < view->snapshot.inventory.gpu_count; i++)
        add_gpu(table, view, view->snapshot.inventory.gpus[i]);
    add_declared(table, view);
    return 0;
}

static enum command_status
run_gpus(const struct command_call *call, struct error *error)
{
    static const struct host_table rows = {
        .name = "gpus",
        .columns = columns,
        .count = COUNT(columns),
        .empty = "no GPU on this host offers vGPUs; see 'vgpuctl doctor'",
        .empty_remote = "no GPU there offers vGPUs, as far as libvirt tells",
        .views = {.wants_types = true},
        .add = add_gpus};

    return host_table_show(&rows, call, error);
}

const struct command command_gpus = {
    .name = "gpus",
    .arguments = "",
    .help = "show the GPUs that offer vGPUs",
    .example = "vgpuctl gpus --columns GPU,NAME,FREE,DRAINED",
    .page = "vgpuctl-show",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE | OPTION_BITS_WATCH,
    .run = run_gpus,
};
