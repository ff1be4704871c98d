/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/detachment.h"
#include "base/memory.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "xml/asked-vgpus.h"

/* Finds which vGPU is meant: the one that was typed, else the only one. The caller frees *ret. */
static int
find_word(const struct domain_source *source, bool shown, char **ret, struct error *error)
{
    enum connection_side side =
        source->meant[CONNECTION_LIVE] ? CONNECTION_LIVE : CONNECTION_CONFIG;
    AUTO(domain_edit_end) struct domain_edit edit = {0};
    const char *word = source->call->count > 1 ? source->call->arguments[1] : NULL;
    int rc = 0;

    if (!word) {
        rc = source_edit_start(source, shown ? domain_source_side_shown(source) : side, false,
                               &edit, error);
        if (rc == 0)
            rc = asked_vgpus_only(&edit.request, &word, error);
    }
    *ret = rc == 0 ? memory_copy(word) : NULL;
    return rc;
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

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(domain_source_close) struct domain_source source = {0};
    AUTO(changes_clear) struct changes changes = {0};
    AUTO_FREE char *word = NULL;
    bool shown = option_given(&call->options, OPTION_PRINT_XML);
    unsigned seconds;
    int rc;

    if (options_timeout(&call->options, &seconds, error) < 0)
        return COMMAND_USAGE;
    if (shown && reply_is_wanted(call))
        return command_ended(
            error_refuse(error, ERROR_USAGE, "--print-xml prints XML: it takes no --json"), error);
    rc = domain_source_open(call, CONNECTION_WRITE, &source, error);
    if (rc < 0)
        return command_ended(rc, error);
    rc = find_word(&source, shown, &word, error);
    if (rc < 0)
        return command_ended(rc, error);
    if (shown)
        return print(&source, word, error);
    rc = detachment_run(&source, word, seconds * 1000, &changes, error);
    changes_put(&changes, call);
    if (rc < 0)
        return command_ended(rc, error);
    say_line(call->out, "%s: removed %s, %s", source.domain.name, word,
             domain_source_sides(&source));
    return COMMAND_DONE;
}

const struct command command_detach = {
    .name = "detach",
    .arguments = "DOMAIN|FILE [ALIAS]",
    .help = "take a vGPU from a domain",
    .page = "vgpuctl-guest",
    .least = 1,
    .most = 2,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_LIVE) |
               OPTION_BIT(OPTION_PRINT_XML) | OPTION_BIT(OPTION_TIMEOUT) | OPTION_BIT(OPTION_JSON),
    .run = run,
};
