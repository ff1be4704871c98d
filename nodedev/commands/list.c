/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "cli/table.h"
#include "commands/remote-table.h"
#include "lease/origin.h"
#include "libvirt/references.h"
#include "view/host-snapshot.h"

enum column { DEVICE, TYPE, NAME, PARENT, GPU, STATE, DOMAIN, DOMAIN_UUID, ALIAS, ORIGIN };

static const struct table_column columns[] = {
    [DEVICE] = {.name = "DEVICE"},
    [TYPE] = {.name = "TYPE"},
    [NAME] = {.name = "NAME"},
    [PARENT] = {.name = "PARENT"},
    [GPU] = {.name = "GPU"},
    [STATE] = {.name = "STATE"},
    [DOMAIN] = {.name = "DOMAIN"},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID"},
    [ALIAS] = {.name = "ALIAS", .extra = true},
    [ORIGIN] = {.name = "ORIGIN", .extra = true},
};

static void
add_place(struct table *table, const struct snapshot *snapshot, const struct name *type,
          const struct name *parent, const struct name *gpu)
{
    const char *name = host_snapshot_type_name(snapshot, gpu, type);

    if (*type->text)
        table_set(table, TYPE, "%s", type->text);
    table_set(table, PARENT, "%s", parent->text);
    table_set(table, GPU, "%s", gpu->text);
    if (name)
        table_set(table, NAME, "%s", name);
}

static void
add_lease(struct table *table, const struct lease *lease)
{
    table_set(table, STATE, "%s", lease_state_name(lease->state));
    if (lease_is_nobodys(lease))
        return;
    table_set(table, DOMAIN, "%s", lease->domain_name);
    table_set(table, DOMAIN_UUID, "%s", lease->domain.text);
    if (*lease->alias)
        table_set(table, ALIAS, "%s", lease->alias);
}

/* Not in the ledger: then libvirt may know who uses it. */
static void
add_stranger(struct table *table, const struct references *references, const struct name *device)
{
    const struct domain *domain = domains_next_user(&references->domains, device, NULL);

    table_set(table, STATE, "foreign");
    if (!domain)
        return;
    table_set(table, DOMAIN, "%s", domain->name);
    table_set(table, DOMAIN_UUID, "%s", domain->uuid.text);
}

static void
add_origin(struct table *table, const struct host *host, const struct name *parent,
           const struct name *device, const struct lease *lease)
{
    if (table_shows(table, ORIGIN))
        table_set(table, ORIGIN, "%s", origin_name(origin_of(host, parent, device, lease)));
}

/* What is there, then what the ledger alone knows: claims that nothing is to be seen of yet. */
static void
add_all(struct table *table, const struct host *host, const struct snapshot *snapshot,
        const struct references *references)
{
    const struct inventory *inventory = &snapshot->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct inventory_parent *parent = &inventory->parents[vgpu->parent];
        const struct lease *lease = host_snapshot_lease(&snapshot->ledger, inventory, vgpu);

        table_line(table);
        table_set(table, DEVICE, "%s", vgpu->device.text);
        add_place(table, snapshot, &vgpu->type, &parent->name, &inventory->gpus[parent->gpu].name);
        if (lease)
            add_lease(table, lease);
        else
            add_stranger(table, references, &vgpu->device);
        if (references_is_orphan(references, vgpu, lease))
            table_set(table, STATE, "orphan");
        add_origin(table, host, &parent->name, &vgpu->device, lease);
    }
    for (size_t i = 0; i < snapshot->ledger.count; i++) {
        const struct lease *lease = &snapshot->ledger.leases[i];

        if (host_snapshot_shows(snapshot, lease))
            continue;
        table_line(table);
        table_set(table, DEVICE, "%s", lease->vgpu.device.text);
        add_place(table, snapshot, &lease->vgpu.type, &lease->vgpu.parent, &lease->gpu);
        add_lease(table, lease);
        add_origin(table, host, &lease->vgpu.parent, &lease->vgpu.device, lease);
    }
}

/* All but orphans can be shown without libvirt. */
static void
ask_owners(const struct command_call *call, struct references *ret)
{
    struct error failure;

    if (call->uri && references_ask(call->host, call->uri, ret, &failure) < 0)
        fprintf(call->faults, "vgpuctl: list: %s; so orphans are not told from others\n",
                failure.text);
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(references_clear) struct references references = {.statedir = STATEDIR_CLOSED};
    AUTO(table_end) struct table table = {0};

    if (call->options.uri_count)
        return remote_list(call, error);
    if (table_start(&table, "vgpus", columns, COUNT(columns), &call->options, error) < 0)
        return COMMAND_USAGE;
    if (snapshot_take(&snapshot, call->host, &inventory_no_types, error) < 0)
        return COMMAND_FAILED;
    ask_owners(call, &references);
    add_all(&table, call->host, &snapshot, &references);
    return table_print(&table, call->out, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_list = {
    .name = "list",
    .arguments = "",
    .help = "show the vGPUs, and whose they are",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE,
    .run = run,
};
