/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/passthrough.h"
#include "cli/reply.h"
#include "commands/commands.h"
#include "commands/host-table.h"
#include "device/nvidia.h"
#include "device/vgpu.h"
#include "lease/origin.h"

#include <inttypes.h>

enum column {
    DEVICE,
    TYPE,
    NAME,
    PARENT,
    GPU,
    STATE,
    DOMAIN,
    DOMAIN_UUID,
    ALIAS,
    ORIGIN,
    INSTANCE,
    PLACEMENT,
    INTERFACE
};

static const struct table_column columns[] = {
    [DEVICE] = {.name = "DEVICE"},
    [TYPE] = {.name = "TYPE", .drop = 2, .same_as = "NAME"},
    [NAME] = {.name = "NAME", .drop = 5, .cuts = true},
    [PARENT] = {.name = "PARENT", .drop = 3, .same_as = "GPU"},
    [GPU] = {.name = "GPU", .drop = 4},
    [STATE] = {.name = "STATE", .colour = host_view_colour},
    [DOMAIN] = {.name = "DOMAIN", .drop = 9, .cuts = true},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID", .drop = 1, .yields = true},
    [ALIAS] = {.name = "ALIAS", .extra = true},
    [ORIGIN] = {.name = "ORIGIN", .extra = true, .costs = true},
    [INSTANCE] = {.name = "INSTANCE", .kind = TABLE_NUMBER, .extra = true, .costs = true},
    [PLACEMENT] = {.name = "PLACEMENT", .kind = TABLE_NUMBER, .extra = true, .costs = true},
    [INTERFACE] = {.name = "INTERFACE", .extra = true},
};

/* Shows a number that NVIDIA's driver gave to a vGPU, if the driver gave one. */
static void
set_id(struct table *table, size_t column, const struct host *host,
       const struct host_view_vgpu *shown, const char *id)
{
    struct path directory;
    struct vgpu vgpu;
    struct name gpu;
    uint64_t number;

    table_set_none(table, column);
    if (table_shows(table, column) && vgpu_find(host, shown->device, &vgpu, &gpu) == 0 &&
        vgpu.interface->directory(&vgpu, &directory) == 0 &&
        nvidia_read_id(host, &gpu, &directory, id, &number) == 0)
        table_set(table, column, "%" PRIu64, number);
}

static void
add_vgpu(struct table *table, const struct host_view *view, const struct host_view_vgpu *vgpu)
{
    table_line(table);
    table_set(table, DEVICE, "%s", vgpu->device->text);
    table_set_text(table, TYPE, *vgpu->type->text ? vgpu->type->text : NULL);
    table_set_text(table, NAME, vgpu->type_name);
    table_set(table, PARENT, "%s", vgpu->parent->text);
    table_set(table, GPU, "%s", vgpu->gpu->text);
    table_set_text(table, STATE, vgpu->state);
    table_set_text(table, DOMAIN, vgpu->domain);
    table_set_text(table, DOMAIN_UUID, vgpu->domain_uuid);
    table_set_text(table, ALIAS, vgpu->alias);
    table_set_text(table, INTERFACE, vgpu->interface ? vgpu->interface->kind : NULL);
    if (!view->is_remote && table_shows(table, ORIGIN))
        table_set(
            table, ORIGIN, "%s",
            origin_name(origin_of(view->call->host, vgpu->parent, vgpu->device, vgpu->lease)));
    if (!view->is_remote) {
        set_id(table, INSTANCE, view->call->host, vgpu, "gpu_instance_id");
        set_id(table, PLACEMENT, view->call->host, vgpu, "placement_id");
    }
}

/* A card that was attached to a running guest is no vGPU, and is in no ledger. Only root may read
 * the status files; for others nothing is told. */
static void
warn_of_untold_cards(const struct host_view *view)
{
    AUTO(status_files_clear) struct status_files guests = {0};
    AUTO(words_clear) struct words lines = {0};
    struct error ignored;

    if (status_files_read(view->call->host, &guests, &ignored) < 0)
        return;
    passthrough_find_untold(view->call->host, &guests, &view->snapshot.ledger.cards, &lines);
    for (size_t i = 0; i < lines.count; i++)
        reply_warn(view->call, ERROR_TAKEN, "%s", lines.items[i]);
}

static int
add_to_list(struct table *table, const struct host_view *view, struct error *error)
{
    struct host_view_choice choice;
    size_t count = 0;
    int rc = host_view_choose(view, &choice, error);

    if (rc < 0)
        return rc;
    if (!view->is_remote)
        warn_of_untold_cards(view);
    for (size_t i = 0; i < view->vgpu_count; i++) {
        const struct host_view_vgpu *vgpu = &view->vgpus[i];

        if (!host_view_choice_has(&choice, vgpu->gpu->text, vgpu->domain, vgpu->domain_uuid))
            continue;
        add_vgpu(table, view, vgpu);
        count++;
    }
    return count ? 0 : host_view_choice_miss(&choice, error);
}

static enum command_status
run_list(const struct command_call *call, struct error *error)
{
    const struct host_table rows = {.name = "vgpus",
                                    .columns = columns,
                                    .count = COUNT(columns),
                                    .empty = call->count ? "there is no vGPU"
                                                         : "there is no vGPU on this host",
                                    .empty_remote = "there is no vGPU, as far as libvirt tells",
                                    .views = {.wants_users = true},
                                    .add = add_to_list};

    return host_table_show(&rows, call, error);
}

const struct command command_list = {
    .name = "list",
    .arguments = "[GPU|DOMAIN]",
    .help = "show the vGPUs, and whose they are",
    .example = "vgpuctl list web01",
    .page = "vgpuctl-show",
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE |
               OPTION_BITS_WATCH | OPTION_BIT(OPTION_COLOR),
    .run = run_list,
};
