/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "commands/host-table.h"
#include "cli/say.h"
#include "libvirt/remote.h"

/* Of several hosts without an answer each has its line; of one alone it is the command's. */
static int
tell_failures(const struct command_call *call, const struct remote_hosts *hosts,
              struct error *error)
{
    size_t failures = remote_failures(hosts);

    if (failures == 0)
        return 0;
    if (hosts->count == 1)
        return error_set(error, -EIO, "%s", hosts->items[0].failure.text);
    for (size_t i = 0; i < hosts->count; i++) {
        if (*hosts->items[i].failure.text)
            say_line(call->faults, "vgpuctl: %s", hosts->items[i].failure.text);
    }
    return error_set(error, -EIO, "%zu of %zu hosts gave no answer", failures, hosts->count);
}

/* Everything here is the answer's own; the view borrows it. */
static int
add_remote(const struct host_table *rows, const struct command_call *call,
           const struct remote_host *host, struct table *table, struct error *error)
{
    const struct host_view view = {
        .call = call,
        .is_remote = true,
        .snapshot = {.inventory = host->inventory},
        .references = {.domains = host->domains,
                       .known = host->domains.complete,
                       .statedir = STATEDIR_CLOSED},
    };

    table->host = host->label;
    return rows->add(table, &view, error);
}

static int
add_remotes(const struct host_table *rows, const struct command_call *call, unsigned seconds,
            struct table *table, struct error *error)
{
    const struct options *options = &call->options;
    AUTO(remote_clear) struct remote_hosts hosts = {0};
    size_t without = 0;
    int rc = remote_ask(call->host, options->uris, options->uri_count, seconds, &hosts, error);

    for (size_t i = 0; rc == 0 && i < hosts.count; i++) {
        if (!*hosts.items[i].failure.text)
            rc = add_remote(rows, call, &hosts.items[i], table, error);
        without += rc == -ENOENT;
        rc = rc == -ENOENT ? 0 : rc;
    }
    if (rc == 0)
        rc = table_print(table, call->out, error);
    if (rc == 0 && without == hosts.count)
        return error_set(error, -ENOENT, "no host has a GPU \"%s\" whose types libvirt tells",
                         call->arguments[0]);
    return rc < 0 ? rc : tell_failures(call, &hosts, error);
}

static int
add_own(const struct host_table *rows, const struct command_call *call, struct table *table,
        struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(references_clear) struct references references = {.statedir = STATEDIR_CLOSED};
    struct host_view view = {.call = call};
    struct error failure;
    int rc = snapshot_take(&snapshot, call->host, rows->filter, error);

    if (rc < 0)
        return rc;
    /* All but orphans can be shown without libvirt. */
    if (rows->wants_references && call->uri &&
        references_ask(call->host, call->uri, &references, &failure) < 0)
        say_line(call->faults, "vgpuctl: list: %s; so orphans are not told from others",
                 failure.text);
    view.snapshot = snapshot;
    view.references = references;
    rc = rows->add(table, &view, error);
    return rc < 0 ? rc : table_print(table, call->out, error);
}

enum command_status
host_table_show(const struct host_table *rows, const struct command_call *call, struct error *error)
{
    const struct options *options = &call->options;
    AUTO(table_end) struct table table = {0};
    unsigned seconds;
    int rc;

    if (options->uri_count && option_given(options, OPTION_ROOT))
        return command_failed(
            error_set(error, -EINVAL, "--root is this machine's, --connect another's: one of them"),
            error);
    if (options_timeout(options, &seconds, error) < 0 ||
        table_start(&table, rows->name, rows->columns, rows->count, options, error) < 0)
        return COMMAND_USAGE;
    rc = options->uri_count ? add_remotes(rows, call, seconds, &table, error)
                            : add_own(rows, call, &table, error);
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}
