/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/drain.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "domain/status-files.h"
#include "view/gpu-view.h"
#include "view/host-view.h"
#include "view/vgpu-walk.h"

enum column { DEVICE, TYPE, GPU, DOMAIN, DOMAIN_UUID, STATE };

static const struct table_column columns[] = {
    [DEVICE] = {.name = "DEVICE"},
    [TYPE] = {.name = "TYPE", .drop = 1},
    [GPU] = {.name = "GPU", .extra = true},
    [DOMAIN] = {.name = "DOMAIN", .cuts = true},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID", .extra = true},
    [STATE] = {.name = "STATE", .colour = host_view_colour},
};

static void
add_line(struct table *table, const struct vgpu_walk *vgpu, const struct status_files *guests)
{
    const struct lease *lease = vgpu->lease, *owned = lease_of_domain(lease);
    const struct request *guest = lease ? NULL : status_files_holder(guests, vgpu->device);

    table_line(table);
    table_set(table, DEVICE, "%s", vgpu->device->text);
    table_set_text(table, TYPE, *vgpu->type->text ? vgpu->type->text : NULL);
    table_set(table, GPU, "%s", vgpu->gpu->text);
    table_set_text(table, DOMAIN, owned ? owned->domain_name : guest ? guest->name : "");
    table_set_text(table, DOMAIN_UUID,
                   owned   ? owned->domain.text
                   : guest ? guest->domain.text
                           : "");
    table_set(table, STATE, "%s", lease ? lease_state_name(lease->state) : "foreign");
}

static int
drain(const struct command_call *call, struct snapshot *snapshot, struct name *gpu,
      struct error *error)
{
    const struct inventory_gpu *found;
    struct drained_note note = {.by_evacuation = false};
    int rc = snapshot_take_to_show(snapshot, call->host, &inventory_no_types, error);

    if (rc == 0)
        rc = gpu_view_find(snapshot, call->host, call->arguments[0], &found, error);
    if (rc < 0)
        return rc;
    *gpu = found->name;
    snprintf(note.reason, sizeof(note.reason), "%s",
             option_given(&call->options, OPTION_REASON) ? call->options.values[OPTION_REASON]
                                                         : "");
    return drain_gpu(call->host, gpu, &note, error);
}

static enum command_status
run_drain(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(status_files_clear) struct status_files guests = {0};
    AUTO(table_end) struct table table = {0};
    struct vgpu_walk walk = {.ledger = &snapshot.ledger, .inventory = &snapshot.inventory};
    struct error ignored;
    struct name gpu;
    int rc;

    if (table_start(&table, "vgpus", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    /* The snapshot is taken again after the GPU was drained. A vGPU that a start was promised until
     * then is in it. */
    rc = drain(call, &snapshot, &gpu, error);
    if (rc == 0)
        rc = snapshot_take_again(&snapshot, call->host, error);
    if (rc < 0)
        return command_ended(rc, error);
    host_view_warn_of_policy(call, &snapshot);
    if (status_files_read(call->host, &guests, &ignored) < 0)
        status_files_clear(&guests);
    while (vgpu_walk_next(&walk)) {
        if (name_equal(walk.gpu, &gpu))
            add_line(&table, &walk, &guests);
    }
    table_say(&table,
              table.lines ? "%s is drained; what is on it stays while it is used"
                          : "%s is drained, and nothing is on it",
              gpu.text);
    return command_ended(table_print(&table, error), error);
}

const struct command command_drain = {
    .name = "drain",
    .arguments = "GPU",
    .help = "make no new vGPU on a GPU, and show what is on it",
    .example = "vgpuctl drain 3b:00.0",
    .page = "vgpuctl-gpu",
    .least = 1,
    .most = 1,
    .changes = COMMAND_CHANGES_GPUS,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_TABLE | OPTION_BIT(OPTION_COLOR) |
               OPTION_BIT(OPTION_REASON),
    .run = run_drain,
};
