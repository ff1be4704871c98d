/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/hotplug.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "libvirt/definition.h"
#include "xml/asked-vgpus.h"

/* Finds which vGPUs are meant: the one that was typed, or all, else the only one. */
static int
find_words(const struct domain_source *source, bool shown, struct words *ret, struct error *error)
{
    enum connection_side side =
        source->meant[CONNECTION_LIVE] ? CONNECTION_LIVE : CONNECTION_CONFIG;
    AUTO(domain_edit_end) struct domain_edit edit = {0};
    const struct command_call *call = source->call;
    int rc;

    if (call->count > 1) {
        words_add(ret, call->arguments[1]);
        return 0;
    }
    rc = source_edit_start(source, shown ? domain_source_side_shown(source) : side, false, &edit,
                           error);
    return rc < 0 ? rc
                  : asked_vgpus_find(&edit.request, option_given(&call->options, OPTION_ALL), ret,
                                     error);
}

static enum command_status
print(const struct domain_source *source, const char *word, struct error *error)
{
    AUTO(hotplug_leaver_clear) struct hotplug_leaver leaver = {0};
    int rc =
        source_edit_start(source, domain_source_side_shown(source), false, &leaver.edit, error);

    if (rc == 0)
        rc = domain_edit_remove(&leaver.edit, word, &leaver.device, &leaver.alias, error);
    if (rc == 0)
        rc = source_edit_print(source, &leaver.edit, error);
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

/* What does not go together. */
static int
check_options(const struct command_call *call, struct error *error)
{
    bool shown = option_given(&call->options, OPTION_PRINT_XML);
    bool all = option_given(&call->options, OPTION_ALL);

    if (shown && option_given(&call->options, OPTION_DRY_RUN))
        return error_refuse(error, ERROR_USAGE,
                            "--print-xml changes nothing anyway: it takes no --dry-run");
    if (shown && reply_is_wanted(call))
        return error_refuse(error, ERROR_USAGE, "--print-xml prints XML: it takes no --json");
    if (all && (shown || call->count > 1))
        return error_refuse(error, ERROR_USAGE, "--all takes all vGPUs: no %s beside it",
                            shown ? "--print-xml" : "ALIAS");
    return 0;
}

static enum command_status
run_detach(const struct command_call *call, struct error *error)
{
    AUTO(definitions_lock_end) struct definitions_lock lock = DEFINITIONS_UNLOCKED;
    AUTO(domain_source_close) struct domain_source source = {0};
    AUTO(changes_clear)
    struct changes changes = {.is_dry_run = option_given(&call->options, OPTION_DRY_RUN)};
    AUTO(words_clear) struct words words = {0};
    bool shown = option_given(&call->options, OPTION_PRINT_XML);
    unsigned seconds;
    int rc;

    if (options_timeout(&call->options, &seconds, error) < 0)
        return COMMAND_USAGE;
    rc = check_options(call, error);
    if (rc == 0 && !shown && !changes.is_dry_run)
        rc = definitions_lock_take(call->host, &lock, error);
    if (rc == 0)
        rc = domain_source_open(call, CONNECTION_WRITE, &source, error);
    if (rc == 0)
        rc = find_words(&source, shown, &words, error);
    if (rc == 0 && shown)
        return print(&source, words.items[0], error);
    if (rc == 0) {
        rc = detachments_run(&source, &words, seconds * 1000, &changes, error);
        if (!changes.is_dry_run)
            definitions_lock_put(&lock, call);
        changes_put(&changes, call);
    }
    return command_ended(rc, error);
}

const struct command command_detach = {
    .name = "detach",
    .arguments = "DOMAIN|FILE [ALIAS]",
    .help = "take a vGPU from a domain",
    .example = "vgpuctl detach web01 ua-gpu0",
    .page = "vgpuctl-guest",
    .least = 1,
    .most = 2,
    .changes = COMMAND_CHANGES_DOMAIN,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_LIVE) |
               OPTION_BIT(OPTION_PRINT_XML) | OPTION_BIT(OPTION_TIMEOUT) | OPTION_BIT(OPTION_JSON) |
               OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_DRY_RUN),
    .option_help = {[OPTION_ALL] = "take every vGPU from the domain"},
    .run = run_detach,
};
