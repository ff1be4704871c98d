/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "commands/host-table.h"
#include "lease/origin.h"
#include "view/vgpu-walk.h"

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
begin_line(struct table *table, const struct snapshot *snapshot, const struct name *device,
           const struct name *type, const struct name *parent, const struct name *gpu)
{
    table_line(table);
    table_set(table, DEVICE, "%s", device->text);
    table_set_text(table, TYPE, type->text);
    table_set_text(table, NAME, host_snapshot_type_name(snapshot, gpu, type));
    table_set(table, PARENT, "%s", parent->text);
    table_set(table, GPU, "%s", gpu->text);
}

static void
add_lease(struct table *table, const struct lease *lease)
{
    table_set(table, STATE, "%s", lease_state_name(lease->state));
    if (lease_is_nobodys(lease))
        return;
    table_set(table, DOMAIN, "%s", lease->domain_name);
    table_set(table, DOMAIN_UUID, "%s", lease->domain.text);
    table_set_text(table, ALIAS, lease->alias);
}

/* Not in a ledger: then libvirt may know who uses it. */
static void
add_user(struct table *table, const struct host_view *view, const struct name *device)
{
    const struct domain *domain = domains_next_user(&view->references.domains, device, NULL);

    /* That it is not in the ledger of its own host is not known of a remote one. */
    if (!view->is_remote)
        table_set(table, STATE, "foreign");
    if (!domain)
        return;
    table_set(table, DOMAIN, "%s", domain->name);
    table_set(table, DOMAIN_UUID, "%s", domain->uuid.text);
    table_set_text(table, ALIAS, domain_alias(domain, device));
}

static void
add_vgpu(struct table *table, const struct host_view *view, const struct vgpu_walk *vgpu)
{
    begin_line(table, &view->snapshot, vgpu->device, vgpu->type, vgpu->parent, vgpu->gpu);
    if (vgpu->lease)
        add_lease(table, vgpu->lease);
    else
        add_user(table, view, vgpu->device);
    if (vgpu->vgpu && references_is_orphan(&view->references, vgpu->vgpu, vgpu->lease))
        table_set(table, STATE, "orphan");
    if (!view->is_remote && table_shows(table, ORIGIN))
        table_set(
            table, ORIGIN, "%s",
            origin_name(origin_of(view->call->host, vgpu->parent, vgpu->device, vgpu->lease)));
}

/* A remote host's virtual function that makes no mediated devices, if a running guest has it: it
 * has a type, or QEMU would not have got it. */
static void
add_function(struct table *table, const struct host_view *view, const struct name *device)
{
    const struct inventory *inventory = &view->snapshot.inventory;
    const struct name untold = {0};

    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = &inventory->parents[i];

        if (parent->interface || !name_equal(&parent->name, device))
            continue;
        begin_line(table, &view->snapshot, device, &untold, device,
                   &inventory->gpus[parent->gpu].name);
        add_user(table, view, device);
    }
}

/* Last what only the guests of a remote host show. */
static int
add_host(struct table *table, const struct host_view *view, struct error *error)
{
    const struct snapshot *snapshot = &view->snapshot;
    const struct domains *domains = &view->references.domains;
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};

    (void)error;
    while (vgpu_walk_next(&walk))
        add_vgpu(table, view, &walk);
    for (size_t i = 0; view->is_remote && i < domains->count; i++) {
        const struct request *live = &domains->items[i].live;

        for (size_t k = 0; k < live->hostdev_count; k++)
            add_function(table, view, &live->hostdevs[k].source);
    }
    return 0;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    static const struct host_table rows = {"vgpus", columns, COUNT(columns), &inventory_no_types,
                                           true,    add_host};

    return host_table_show(&rows, call, error);
}

const struct command command_list = {
    .name = "list",
    .arguments = "",
    .help = "show the vGPUs, and whose they are",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE,
    .run = run,
};
