/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/attachments.h"
#include "attach/clone.h"
#include "attach/trial.h"
#include "base/memory.h"
#include "base/shell-word.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "domain/request-parser.h"
#include "placement/demand.h"

static enum command_status
wrong(struct error *error, const char *words)
{
    error_refuse(error, ERROR_USAGE, "%s", words);
    error_advise(error, "see 'vgpuctl attach --help'");
    return COMMAND_USAGE;
}

static enum command_status
read_wish(const struct options *options, struct attachments_wish *ret, struct error *error)
{
    unsigned seconds;

    *ret = (struct attachments_wish){
        .device = {options->values[OPTION_ALIAS], options->values[OPTION_TYPE],
                   options->values[OPTION_CLASS]},
        .display = option_given(options, OPTION_DISPLAY),
    };
    if (options_number(options, OPTION_COUNT, 1, ATTACHMENTS_MOST, 1, &ret->count, error) < 0 ||
        options_timeout(options, &seconds, error) < 0)
        return COMMAND_USAGE;
    ret->timeout = seconds * 1000;
    if (option_given(options, OPTION_START) &&
        (option_given(options, OPTION_LIVE) || option_given(options, OPTION_PRINT_XML)))
        return wrong(error, "--start is for a domain that does not run yet: it takes no --live and "
                            "no --print-xml");
    if (option_given(options, OPTION_JSON) && option_given(options, OPTION_PRINT_XML))
        return wrong(error, "--print-xml prints XML: it takes no --json");
    if (option_given(options, OPTION_RENEW))
        return ret->device.type || ret->device.class || ret->device.alias || ret->display ||
                       option_given(options, OPTION_COUNT)
                   ? wrong(error, "--renew takes no --type, --class, --alias, --count or --display")
                   : COMMAND_DONE;
    if (!ret->device.type == !ret->device.class)
        return wrong(error, "either --type or --class, please");
    if (ret->device.alias && ret->count > 1)
        return wrong(error, "one --alias is the name of one device: it takes no --count");
    if (ret->display && ret->count > 1)
        return wrong(error, "QEMU takes one vGPU with a display: --display takes no --count");
    return COMMAND_DONE;
}

static enum command_status
attach(const struct domain_source *source, const struct attachments_wish *wish,
       struct changes *changes, struct error *error)
{
    int rc = attachments_run(source, wish, changes, error);

    return command_ended(rc, error);
}

/* --- a clone's ------------------------------------------------------------------------------- */

/* Tells for each vGPU which one the clone has now. A clone keeps a vGPU that no other domain had.
 * A hostdev that is a vGPU only because of vgpu.conf is skipped: --renew does not change it. */
static int
say_renewed(const struct domain_source *source, const struct document *old,
            const struct document *text, struct changes *changes, struct error *error)
{
    AUTO(request_clear) struct request before = {0};
    AUTO(request_clear) struct request request = {0};
    int rc = request_parse(old, &before, error);
    bool is_any = false;

    if (rc == 0)
        rc = request_parse(text, &request, error);
    for (size_t i = 0; rc == 0 && i < request.hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request.hostdevs[i];
        bool is_kept = name_equal(&hostdev->source, &before.hostdevs[i].source);

        if (!demand_is_explicit(hostdev))
            continue;
        is_any = true;
        source_change_set(changes_add(changes, source->call->host, is_kept ? "kept" : "renewed",
                                      &hostdev->source),
                          source, hostdev->alias ? hostdev->alias : "");
        say_line(source->call->out, "%s: %s %s the %s %s", source->domain.name,
                 hostdev->alias ? hostdev->alias : "its vGPU", is_kept ? "keeps" : "has",
                 hostdev->kind == REQUEST_PCI ? "virtual function" : "UUID", hostdev->source.text);
    }
    if (rc == 0 && !is_any) {
        rc = error_set(error, -ENOENT,
                       "%s has no <hostdev> that its XML asks a vGPU for, by a <vgpu:device> or a "
                       "ua-vgpu- alias: nothing is renewed",
                       source->domain.name);
        error_advise(error, "see 'virsh edit %s'", shell_word(source->domain.name).text);
    }
    return rc;
}

/* Finds the virtual functions that other domains name. libvirt is asked only if this domain has a
 * virtual function. */
static int
find_named(const struct domain_source *source, const struct document *text, struct names *ret,
           struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    struct error failure;
    int rc = request_parse(text, &request, error);
    bool needed = false;

    for (size_t i = 0; i < request.hostdev_count; i++)
        needed |=
            request.hostdevs[i].kind == REQUEST_PCI && demand_is_explicit(&request.hostdevs[i]);
    if (needed && rc == 0 && attachment_add_named(source, &request.domain, ret, &failure) < 0)
        reply_warn(source->call, failure.class,
                   "it is not known whether other domains have the virtual functions of %s as "
                   "well: %s",
                   request.name, failure.text);
    return rc;
}

static enum command_status
renew(const struct domain_source *source, struct changes *changes, struct error *error)
{
    AUTO(document_clear) struct document old = {0};
    AUTO(document_clear) struct document new = {0};
    AUTO(names_clear) struct names named = {0};
    bool shown = option_given(&source->call->options, OPTION_PRINT_XML);
    const struct document *text;
    int rc;

    if (source->connection && (source->domain.is_running || !source->domain.is_persistent)) {
        rc =
            error_set(error, -EBUSY, "%s runs: its vGPUs can have other UUIDs when it is shut down",
                      source->domain.name);
        return command_ended(rc, error);
    }
    rc = domain_source_text(source, CONNECTION_CONFIG, !shown, &old, error);
    if (rc == 0)
        rc = find_named(source, &old, &named, error);
    if (rc == 0)
        rc = clone_renew(source->call->host, &old, &named, &new, error);
    text = new.text ? &new : &old;
    if (rc == 0 && shown)
        fwrite(text->text, 1, text->length, source->call->out);
    if (rc == 0 && !shown && new.text)
        rc = connection_define(source->connection, &new, error);
    if (rc == 0 && !shown)
        rc = say_renewed(source, &old, text, changes, error);
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

/* Returns a command that prints the changed definition and explains it. The caller frees it. */
static char *
explain_command(const struct domain_source *source)
{
    static const struct {
        enum option_key option;
        const char *name;
    } rows[] = {
        {OPTION_RENEW, "--renew"}, {OPTION_TYPE, "--type"},   {OPTION_CLASS, "--class"},
        {OPTION_ALIAS, "--alias"}, {OPTION_COUNT, "--count"}, {OPTION_DISPLAY, "--display"},
    };
    char *text = NULL;
    size_t length;
    FILE *out = memory_stream(&text, &length);

    say_part(out, "vgpuctl attach %s", shell_word(source->domain.name).text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *value = source->call->options.values[rows[i].option];

        if (value)
            say_part(out, " %s%s%s", rows[i].name, *value ? " " : "",
                     *value ? shell_word(value).text : "");
    }
    say_part(out, " --print-xml | vgpuctl explain -");
    memory_stream_end(out, &text);
    return text;
}

/* Attach and renew both change the definition before the start. */
static enum command_status
change_and_start(const struct domain_source *source, const struct attachments_wish *wish,
                 struct changes *changes, struct error *error)
{
    bool renewed = option_given(&source->call->options, OPTION_RENEW);
    AUTO(trial_clear) struct trial trial = {0};
    AUTO_FREE char *explain = explain_command(source);
    enum command_status status;
    int rc = trial_begin(&trial, source, error);

    if (rc < 0)
        return command_ended(rc, error);
    status = renewed ? renew(source, changes, error) : attach(source, wish, changes, error);
    if (status != COMMAND_DONE)
        return status;
    if (trial_start(&trial, explain, error) < 0) {
        if (trial.is_undone)
            changes_clear(changes);
        return COMMAND_FAILED;
    }
    for (size_t i = 0; i < changes->count; i++) {
        change_look(&changes->items[i], source->call->host);
        changes->items[i].live = true;
    }
    say_line(source->call->out, "%s: started", source->domain.name);
    return COMMAND_DONE;
}

static enum command_status
change(const struct domain_source *source, const struct attachments_wish *wish,
       struct changes *changes, struct error *error)
{
    const struct options *options = &source->call->options;
    bool shown = option_given(options, OPTION_PRINT_XML);

    if (wish->display && source->connection && source->meant[CONNECTION_LIVE])
        return wrong(error,
                     "nothing with a display is plugged into a guest that runs: say --config");
    if (option_given(options, OPTION_START))
        return change_and_start(source, wish, changes, error);
    if (option_given(options, OPTION_RENEW))
        return renew(source, changes, error);
    if (shown)
        return attachments_print(source, wish, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
    return attach(source, wish, changes, error);
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(domain_source_close) struct domain_source source = {0};
    AUTO(changes_clear) struct changes changes = {0};
    struct attachments_wish wish;
    enum command_status status = read_wish(&call->options, &wish, error);
    int rc;

    if (status != COMMAND_DONE)
        return status;
    rc = domain_source_open(call, CONNECTION_WRITE, &source, error);
    if (rc < 0)
        return command_ended(rc, error);
    status = change(&source, &wish, &changes, error);
    changes_put(&changes, call);
    return status;
}

const struct command command_attach = {
    .name = "attach",
    .arguments = "DOMAIN|FILE",
    .help = "give a domain a vGPU: at its start; if it runs, at once, and not for its next start",
    .page = "vgpuctl-guest",
    .least = 1,
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_TYPE) | OPTION_BIT(OPTION_CLASS) |
               OPTION_BIT(OPTION_ALIAS) | OPTION_BIT(OPTION_COUNT) | OPTION_BIT(OPTION_CONFIG) |
               OPTION_BIT(OPTION_LIVE) | OPTION_BIT(OPTION_START) | OPTION_BIT(OPTION_PRINT_XML) |
               OPTION_BIT(OPTION_RENEW) | OPTION_BIT(OPTION_DISPLAY) | OPTION_BIT(OPTION_TIMEOUT) |
               OPTION_BIT(OPTION_JSON),
    .run = run,
};
