/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/memory.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "view/metrics.h"
#include "view/vgpu-users.h"
#include "view/vgpu-walk.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* -errno with a line in error: libvirt could not be asked. */
static int
count_orphans(const struct command_call *call, const struct snapshot *snapshot, size_t *ret,
              struct error *error)
{
    AUTO(references_clear) struct references references = {.statedir = STATEDIR_CLOSED};
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};
    int rc = vgpu_users_find(call->host, call->uri, snapshot, &references, error);

    *ret = 0;
    while (vgpu_walk_next(&walk))
        *ret += walk.vgpu && references_is_orphan(&references, walk.vgpu, walk.lease);
    return rc;
}

/* Where the node exporter looks, there may be half a file at no time. It reads *.prom: what is
 * aside has another name. */
static int
replace_file(const char *path, const char *text, size_t length, struct error *error)
{
    AUTO_FREE char *aside = memory_format("%s.XXXXXX", path);
    AUTO_CLOSE int fd = mkostemp(aside, O_CLOEXEC);
    int rc = 0;

    if (fd < 0)
        return error_set(error, -errno, "--output %s: %m", path);
    if (fchmod(fd, 0644) < 0)
        rc = -errno;
    for (size_t done = 0; rc == 0 && done < length;) {
        ssize_t written = write(fd, text + done, length - done);

        if (written < 0)
            rc = -errno;
        else
            done += (size_t)written;
    }
    if (rc == 0 && rename(aside, path) < 0)
        rc = -errno;
    if (rc == 0)
        return 0;
    unlink(aside);
    return error_set(error, rc, "--output %s: %s", path, strerror(-rc));
}

static int
write_all(const struct command_call *call, const struct metrics *metrics, struct error *error)
{
    const char *path = call->options.values[OPTION_OUTPUT];
    AUTO_FREE char *text = NULL;
    size_t length = 0;
    FILE *memory;

    if (!path) {
        metrics_write(metrics, call->out);
        return 0;
    }
    memory = memory_stream(&text, &length);
    metrics_write(metrics, memory);
    memory_stream_end(memory, &text);
    return replace_file(path, text, length, error);
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(host_view_clear) struct host_view view;
    struct counters counters;
    struct metrics metrics = {.view = &view, .counters = &counters};
    struct error failure;
    size_t orphans;

    if (host_view_take(&view, call, &inventory_all_types, true, error) < 0)
        return COMMAND_FAILED;
    counters_read(call->host, &counters);
    if (call->uri && count_orphans(call, &view.snapshot, &orphans, &failure) == 0)
        metrics.orphans = &orphans;
    else if (call->uri)
        say_line(call->faults, "vgpuctl: metrics: no orphans are counted: %s", failure.text);
    return write_all(call, &metrics, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_metrics = {
    .name = "metrics",
    .arguments = "",
    .help = "print figures for Prometheus",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_OUTPUT),
    .run = run,
};
