/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plug.h"

static enum command_status
print(const struct command_call *call, const struct subject *subject, struct error *error)
{
    AUTO(plug_leaver_clear) struct plug_leaver leaver = {0};
    int rc = subject_edit(subject, subject_side_shown(call, subject), false, &leaver.edit, error);

    if (rc == 0)
        rc = edit_remove(&leaver.edit, call->arguments[1], &leaver.device, &leaver.alias, error);
    if (rc == 0)
        rc = subject_print(call, &leaver.edit, error);
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

/* Both sides are looked at first; then the guest, which may not let go, before the definition. */
static int
detach(const struct command_call *call, const struct subject *subject, unsigned timeout,
       struct error *error)
{
    AUTO(plug_leaver_clear) struct plug_leaver live = {.word = call->arguments[1]};
    AUTO(plug_leaver_clear) struct plug_leaver config = {.word = call->arguments[1]};
    int rc = 0;

    if (subject->meant[CONNECTION_LIVE]) {
        rc = plug_check(call->host, error);
        if (rc == 0)
            rc = subject_edit(subject, CONNECTION_LIVE, false, &live.edit, error);
        if (rc == 0)
            rc = edit_remove(&live.edit, live.word, &live.device, &live.alias, error);
    }
    if (rc == 0 && subject->meant[CONNECTION_CONFIG]) {
        rc = subject_edit(subject, CONNECTION_CONFIG, true, &config.edit, error);
        if (rc == 0)
            rc = edit_remove(&config.edit, config.word, &config.device, &config.alias, error);
    }
    if (rc == 0 && subject->meant[CONNECTION_LIVE])
        rc = plug_out(call->host, subject, &live, timeout, error);
    if (rc == 0 && subject->meant[CONNECTION_CONFIG])
        rc = subject_define(subject, &config.edit, error);
    return rc;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(subject_close) struct subject subject = {0};
    bool shown = option_given(&call->options, OPTION_PRINT_XML);
    unsigned seconds;
    int rc;

    if (options_number(&call->options, OPTION_TIMEOUT, 1, 3600, 10, &seconds, error) < 0)
        return COMMAND_USAGE;
    rc = subject_open(call, &subject, error);
    if (rc < 0)
        return command_failed(rc);
    if (shown)
        return print(call, &subject, error);
    if (!subject.connection) {
        error_set(error, -EINVAL, "a file is not written: say --print-xml");
        return COMMAND_USAGE;
    }
    rc = detach(call, &subject, seconds * 1000, error);
    if (rc < 0)
        return rc == -EINVAL ? COMMAND_FAILED : command_failed(rc);
    fprintf(call->out, "%s: removed %s, %s\n", subject.domain.name, call->arguments[1],
            subject_sides(&subject));
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
