/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/hotplug.h"

static enum command_status
print(const struct command_call *call, const struct target *target, struct error *error)
{
    AUTO(hotplug_leaver_clear) struct hotplug_leaver leaver = {0};
    int rc = target_edit(target, target_side_shown(call, target), false, &leaver.edit, error);

    if (rc == 0)
        rc = domain_edit_remove(&leaver.edit, call->arguments[1], &leaver.device, &leaver.alias,
                                error);
    if (rc == 0)
        rc = target_print(call, &leaver.edit, error);
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

/* Both sides are looked at first; then the guest, which may not let go, before the definition. */
static int
detach(const struct command_call *call, const struct target *target, unsigned timeout,
       struct error *error)
{
    AUTO(hotplug_leaver_clear) struct hotplug_leaver live = {.word = call->arguments[1]};
    AUTO(hotplug_leaver_clear) struct hotplug_leaver config = {.word = call->arguments[1]};
    int rc = 0;

    if (target->meant[CONNECTION_LIVE]) {
        rc = hotplug_check(call->host, error);
        if (rc == 0)
            rc = target_edit(target, CONNECTION_LIVE, false, &live.edit, error);
        if (rc == 0)
            rc = domain_edit_remove(&live.edit, live.word, &live.device, &live.alias, error);
    }
    if (rc == 0 && target->meant[CONNECTION_CONFIG]) {
        rc = target_edit(target, CONNECTION_CONFIG, true, &config.edit, error);
        if (rc == 0)
            rc =
                domain_edit_remove(&config.edit, config.word, &config.device, &config.alias, error);
    }
    if (rc == 0 && target->meant[CONNECTION_LIVE])
        rc = hotplug_out(call->host, target, &live, timeout, error);
    if (rc == 0 && target->meant[CONNECTION_CONFIG])
        rc = target_define(target, &config.edit, error);
    return rc;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(target_close) struct target target = {0};
    bool shown = option_given(&call->options, OPTION_PRINT_XML);
    unsigned seconds;
    int rc;

    if (options_number(&call->options, OPTION_TIMEOUT, 1, 3600, 10, &seconds, error) < 0)
        return COMMAND_USAGE;
    rc = target_open(call, &target, error);
    if (rc < 0)
        return command_failed(rc, error);
    if (shown)
        return print(call, &target, error);
    if (!target.connection) {
        error_set(error, -EINVAL, "a file is not written: say --print-xml");
        return COMMAND_USAGE;
    }
    rc = detach(call, &target, seconds * 1000, error);
    if (rc < 0)
        return rc == -EINVAL ? COMMAND_FAILED : command_failed(rc, error);
    fprintf(call->out, "%s: removed %s, %s\n", target.domain.name, call->arguments[1],
            target_sides(&target));
    return COMMAND_DONE;
}

const struct command command_detach = {
    .name = "detach",
    .arguments = "DOMAIN|FILE ALIAS",
    .help = "take a vGPU from a domain",
    .least = 2,
    .most = 2,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_LIVE) |
               OPTION_BIT(OPTION_PRINT_XML) | OPTION_BIT(OPTION_TIMEOUT),
    .run = run,
};
