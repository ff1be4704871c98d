/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "cli/table.h"
#include "lease/origin.h"
#include "libvirt/references.h"
#include "view/host-snapshot.h"

enum column { DEVICE, TYPE, NAME, PARENT, GPU, ORIGIN, HOLDER, STATE, DOMAIN, DOMAIN_UUID };

static const struct table_column columns[] = {
    [DEVICE] = {.name = "DEVICE"},
    [TYPE] = {.name = "TYPE"},
    [NAME] = {.name = "NAME"},
    [PARENT] = {.name = "PARENT"},
    [GPU] = {.name = "GPU"},
    [ORIGIN] = {.name = "ORIGIN"},
    [HOLDER] = {.name = "HOLDER"},
    [STATE] = {.name = "STATE", .extra = true},
    [DOMAIN] = {.name = "DOMAIN", .extra = true},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID", .extra = true},
};

/* Nobody's name is not shown; where it cannot be told, a question mark. */
static void
set_holder(struct table *table, const struct host *host, const struct inventory_parent *parent,
           const struct inventory_vgpu *vgpu)
{
    const struct vgpu device = {parent->interface, vgpu->device, vgpu->type, parent->name};
    char holder[128];
    int rc;

    if (!table_shows(table, HOLDER))
        return;
    rc = vgpu_holder(host, &device, holder, sizeof(holder));
    if (rc != 0)
        table_set(table, HOLDER, "%s", rc > 0 ? holder : "?");
}

static void
add_orphan(struct table *table, const struct host *host, const struct snapshot *snapshot,
           const struct inventory_vgpu *vgpu, const struct lease *lease)
{
    const struct inventory *inventory = &snapshot->inventory;
    const struct inventory_parent *parent = &inventory->parents[vgpu->parent];
    const struct name *gpu = &inventory->gpus[parent->gpu].name;
    const char *name = host_snapshot_type_name(snapshot, gpu, &vgpu->type);

    table_line(table);
    table_set(table, DEVICE, "%s", vgpu->device.text);
    table_set(table, TYPE, "%s", vgpu->type.text);
    if (name)
        table_set(table, NAME, "%s", name);
    table_set(table, PARENT, "%s", parent->name.text);
    table_set(table, GPU, "%s", gpu->text);
    table_set(table, ORIGIN, "%s",
              origin_name(origin_of(host, &parent->name, &vgpu->device, lease)));
    set_holder(table, host, parent, vgpu);
    if (!lease || lease_is_nobodys(lease))
        return;
    table_set(table, STATE, "%s", lease_state_name(lease->state));
    table_set(table, DOMAIN, "%s", lease->domain_name);
    table_set(table, DOMAIN_UUID, "%s", lease->domain.text);
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(references_clear) struct references references = {.statedir = STATEDIR_CLOSED};
    AUTO(table_end) struct table table = {0};

    if (table_start(&table, "orphans", columns, COUNT(columns), &call->options, error) < 0)
        return COMMAND_USAGE;
    if (snapshot_take(&snapshot, call->host, &inventory_no_types, error) < 0)
        return COMMAND_FAILED;
    if (references_ask(call->host, call->uri, &references, error) < 0) {
        error_add(error, "only libvirt knows which domains are defined");
        return COMMAND_FAILED;
    }
    for (size_t i = 0; i < snapshot.inventory.vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &snapshot.inventory.vgpus[i];
        const struct lease *lease =
            host_snapshot_lease(&snapshot.ledger, &snapshot.inventory, vgpu);

        if (references_is_orphan(&references, vgpu, lease))
            add_orphan(&table, call->host, &snapshot, vgpu, lease);
    }
    return table_print(&table, call->out, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_orphans = {
    .name = "orphans",
    .arguments = "",
    .help = "show the vGPUs that no domain refers to",
    .options = OPTION_BITS_TABLE,
    .run = run,
};
