/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/memory.h"
#include "cli/output.h"
#include "cli/reply.h"
#include "commands/commands.h"
#include "evacuate/evacuation-move.h"
#include "view/metrics.h"
#include "view/vgpu-walk.h"

/* Returns -errno with a line in error if libvirt could not be asked. */
static int
count_orphans(const struct command_call *call, const struct snapshot *snapshot, size_t *ret,
              struct error *error)
{
    AUTO(references_clear) struct references references = {.statedir = STATEDIR_CLOSED};
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};
    int rc = vgpu_walk_users(call->host, call->uri, snapshot, &references, error);

    *ret = 0;
    while (vgpu_walk_next(&walk))
        *ret += walk.vgpu && references_is_orphan(&references, walk.vgpu, walk.lease);
    return rc;
}

static int
write_all(const struct command_call *call, const struct metrics *metrics, struct error *error)
{
    const char *path = call->options.values[OPTION_OUTPUT];
    AUTO(output_close) struct output output = OUTPUT_NONE;
    AUTO_FREE char *text = NULL;
    size_t length = 0;
    FILE *memory;
    int rc;

    if (!path) {
        metrics_write(metrics, call->out);
        return 0;
    }
    rc = output_open(path, &output, error);
    if (rc < 0)
        return rc;
    memory = memory_stream(&text, &length);
    metrics_write(metrics, memory);
    memory_stream_end(memory, &text);
    /* The node exporter reads *.prom. The temporary file has another ending, so the exporter does
     * not read it half written. */
    return output_write(&output, text, length, 0644, error);
}

/* Figures of an earlier call would pass for those of now. So the file says that there are none. */
static enum command_status
fail(const struct command_call *call)
{
    const struct metrics nothing = {0};
    struct error ignored;

    if (call->options.values[OPTION_OUTPUT])
        (void)!write_all(call, &nothing, &ignored);
    return COMMAND_FAILED;
}

static enum command_status
run_metrics(const struct command_call *call, struct error *error)
{
    AUTO(host_view_clear) struct host_view view;
    struct counters counters;
    struct metrics metrics = {.view = &view, .counters = &counters};
    struct error failure;
    AUTO(evacuation_moves_clear) struct evacuation_moves records = {0};
    size_t orphans;

    if (host_view_take(&view, call, error) < 0)
        return fail(call);
    counters_read(call->host, &counters);
    if (call->uri && count_orphans(call, &view.snapshot, &orphans, &failure) == 0)
        metrics.orphans = &orphans;
    else if (call->uri)
        reply_warn(call, ERROR_NO_LIBVIRT, "no orphans are counted: %s", failure.text);
    if (evacuation_record_read_all(call->host, &records, &failure) == 0)
        metrics.away = &records.count;
    else
        reply_warn(call, ERROR_FAILED, "who is away is not counted: %s", failure.text);
    return write_all(call, &metrics, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_metrics = {
    .name = "metrics",
    .arguments = "",
    .help = "print figures for Prometheus",
    .example = "vgpuctl metrics --output /var/lib/prometheus/node-exporter/libvirt-vgpu.prom",
    .page = "vgpuctl-gpu",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_OUTPUT),
    .run = run_metrics,
};
