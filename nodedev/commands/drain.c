/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "cli/table.h"
#include "domain/status-files.h"
#include "policy/drained.h"
#include "view/host-snapshot.h"

enum column { DEVICE, TYPE, DOMAIN, STATE };

static const struct table_column columns[] = {
    [DEVICE] = {.name = "DEVICE"},
    [TYPE] = {.name = "TYPE"},
    [DOMAIN] = {.name = "DOMAIN"},
    [STATE] = {.name = "STATE"},
};

/* Of a device that is not ours, the guest that runs with it; "" if none is known. */
static const char *
find_user(const struct status_files *guests, const struct name *device)
{
    for (size_t i = 0; i < guests->count; i++) {
        if (status_files_has(&guests->items[i], device))
            return guests->items[i].name;
    }
    return "";
}

static void
add_line(struct table *table, const struct name *device, const struct name *type,
         const struct lease *lease, const struct status_files *guests)
{
    const char *domain = lease ? lease->domain_name : find_user(guests, device);

    table_line(table);
    table_set(table, DEVICE, "%s", device->text);
    if (*type->text)
        table_set(table, TYPE, "%s", type->text);
    if (*domain)
        table_set(table, DOMAIN, "%s", domain);
    table_set(table, STATE, "%s", lease ? lease_state_name(lease->state) : "foreign");
}

/* What is made there, then what is being made. */
static void
add_all(struct table *table, const struct snapshot *snapshot, const struct name *gpu,
        const struct status_files *guests)
{
    const struct inventory *inventory = &snapshot->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];

        if (name_equal(&inventory->gpus[inventory->parents[vgpu->parent].gpu].name, gpu))
            add_line(table, &vgpu->device, &vgpu->type,
                     host_snapshot_lease(&snapshot->ledger, inventory, vgpu), guests);
    }
    for (size_t i = 0; i < snapshot->ledger.count; i++) {
        const struct lease *lease = &snapshot->ledger.leases[i];

        if (name_equal(&lease->gpu, gpu) && !host_snapshot_shows(snapshot, lease))
            add_line(table, &lease->vgpu.device, &lease->vgpu.type, lease, guests);
    }
}

static int
drain(const struct command_call *call, struct name *gpu, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    size_t index;
    int rc = snapshot_take(&snapshot, call->host, &inventory_no_types, error);

    if (rc == 0)
        rc = host_snapshot_find_gpu(&snapshot, call->arguments[0], &index, error);
    if (rc < 0)
        return rc;
    *gpu = snapshot.inventory.gpus[index].name;
    return drained_add(call->host, gpu, error);
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(status_files_clear) struct status_files guests = {0};
    AUTO(table_end) struct table table = {0};
    struct error ignored;
    struct name gpu;

    if (table_start(&table, "vgpus", columns, COUNT(columns), &call->options, error) < 0)
        return COMMAND_USAGE;
    /* Looked at anew once it is drained: what was being made meanwhile is there by now. */
    if (drain(call, &gpu, error) < 0 ||
        snapshot_take(&snapshot, call->host, &inventory_no_types, error) < 0)
        return COMMAND_FAILED;
    if (status_files_read(call->host, &guests, &ignored) < 0)
        guests.count = 0;
    add_all(&table, &snapshot, &gpu, &guests);
    return table_print(&table, call->out, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_drain = {
    .name = "drain",
    .arguments = "GPU",
    .help = "make nothing new on a GPU, and show what is on it",
    .least = 1,
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_TABLE,
    .run = run,
};
