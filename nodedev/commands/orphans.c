/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/table.h"
#include "commands/commands.h"
#include "lease/origin.h"
#include "view/gpu-view.h"
#include "view/host-view.h"
#include "view/vgpu-walk.h"

enum column { DEVICE, TYPE, NAME, PARENT, GPU, ORIGIN, HOLDER, STATE, DOMAIN, DOMAIN_UUID };

static const struct table_column columns[] = {
    [DEVICE] = {.name = "DEVICE"},
    [TYPE] = {.name = "TYPE", .drop = 1, .same_as = "NAME"},
    [NAME] = {.name = "NAME", .drop = 4, .cuts = true},
    [PARENT] = {.name = "PARENT", .drop = 2, .same_as = "GPU"},
    [GPU] = {.name = "GPU", .drop = 3},
    [ORIGIN] = {.name = "ORIGIN"},
    [HOLDER] = {.name = "HOLDER", .drop = 9, .cuts = true},
    [STATE] = {.name = "STATE", .colour = host_view_colour, .extra = true},
    [DOMAIN] = {.name = "DOMAIN", .extra = true, .cuts = true},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID", .extra = true},
};

/* An orphan that nobody holds has no holder in the table. A holder that cannot be found is shown as
 * "?". */
static void
set_holder(struct table *table, const struct host *host, struct open_files *files,
           const struct inventory_vgpu *vgpu)
{
    const struct vgpu device = {.interface = vgpu->parent->interface,
                                .device = vgpu->device,
                                .type = vgpu->type,
                                .parent = vgpu->parent->name};
    char holder[128];
    int rc;

    if (!table_shows(table, HOLDER))
        return;
    rc = vgpu_holder(host, files, &device, holder, sizeof(holder));
    if (rc < 0 && !table->json)
        table_set(table, HOLDER, "?");
    else if (rc >= 0)
        table_set_text(table, HOLDER, rc > 0 ? holder : "");
}

static void
add_orphan(struct table *table, const struct host *host, struct open_files *files,
           const struct snapshot *snapshot, const struct vgpu_walk *vgpu)
{
    const struct lease *lease = vgpu->lease, *owned = lease_of_domain(lease);

    table_line(table);
    table_set(table, DEVICE, "%s", vgpu->device->text);
    table_set(table, TYPE, "%s", vgpu->type->text);
    table_set_text(table, NAME, gpu_view_type_name(snapshot, vgpu->gpu, vgpu->type));
    table_set(table, PARENT, "%s", vgpu->parent->text);
    table_set(table, GPU, "%s", vgpu->gpu->text);
    table_set(table, ORIGIN, "%s", origin_name(origin_of(host, vgpu->parent, vgpu->device, lease)));
    set_holder(table, host, files, vgpu->vgpu);
    table_set_text(table, STATE, lease ? lease_state_name(lease->state) : "");
    table_set_text(table, DOMAIN, owned ? owned->domain_name : "");
    table_set_text(table, DOMAIN_UUID, owned ? owned->domain.text : "");
}

static enum command_status
run_orphans(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(references_clear) struct references references = {.statedir = STATEDIR_CLOSED};
    AUTO(open_files_clear) struct open_files files = {0};
    AUTO(table_end) struct table table = {0};
    struct vgpu_walk walk = {.ledger = &snapshot.ledger, .inventory = &snapshot.inventory};

    if (table_start(&table, "orphans", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    if (snapshot_take_to_show(&snapshot, call->host, &inventory_no_types, error) < 0)
        return COMMAND_FAILED;
    host_view_warn_of_policy(call, &snapshot);
    if (vgpu_walk_users(call->host, call->uri, &snapshot, &references, error) < 0) {
        error_add(error, "only libvirt knows which domains are defined");
        return COMMAND_FAILED;
    }
    while (vgpu_walk_next(&walk)) {
        if (walk.vgpu && references_is_orphan(&references, walk.vgpu, walk.lease))
            add_orphan(&table, call->host, &files, &snapshot, &walk);
    }
    table_say_empty(&table, snapshot.inventory.vgpu_count
                                ? "no orphans: a domain refers to every vGPU here"
                                : "no orphans: there is no vGPU on this host");
    return table_print(&table, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_orphans = {
    .name = "orphans",
    .arguments = "",
    .help = "show the vGPUs that no domain refers to",
    .example = "vgpuctl orphans",
    .page = "vgpuctl-repair",
    .options = OPTION_BITS_TABLE | OPTION_BIT(OPTION_COLOR),
    .run = run_orphans,
};
