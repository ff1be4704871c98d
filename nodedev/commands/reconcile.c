/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/reconcile.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "lease/counters.h"
#include "view/change.h"

/* For people, and for programs. */
static void
tell(const struct lease_outcomes *outcomes, const struct command_call *call)
{
    AUTO(changes_clear)
    struct changes changes = {.is_dry_run = option_given(&call->options, OPTION_DRY_RUN)};

    for (size_t i = 0; i < outcomes->count; i++) {
        const struct lease_outcome *each = &outcomes->items[i];
        bool is_foreseen = changes.is_dry_run && each->outcome != OUTCOME_LEFT;

        say_line(call->out, "%s %s %s%s: %s", each->lease.vgpu.device.text, each->lease.domain_name,
                 is_foreseen ? "would be " : "", outcome_name(each->outcome), each->why.text);
    }
    changes_add_outcomes(&changes, outcomes);
    changes_put(&changes, call);
}

static enum command_status
rebuild(const struct command_call *call, struct error *error)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    int rc = reconcile_rebuild(call->host, &outcomes, error);

    if (rc < 0)
        return command_ended(rc, error);
    if (*outcomes.set_aside.text)
        say_line(call->out, "the ledger could not be read, and is now %s", outcomes.set_aside.text);
    else
        say_line(call->out, "the ledger is sound; nothing was changed");
    tell(&outcomes, call);
    return COMMAND_DONE;
}

static enum command_status
run_reconcile(const struct command_call *call, struct error *error)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    bool is_dry_run = option_given(&call->options, OPTION_DRY_RUN);
    int rc;

    if (option_given(&call->options, OPTION_REBUILD) && is_dry_run) {
        error_refuse(error, ERROR_USAGE,
                     "a rebuild cannot be foreseen: no --dry-run beside --rebuild");
        return COMMAND_USAGE;
    }
    if (option_given(&call->options, OPTION_REBUILD))
        return rebuild(call, error);
    rc = is_dry_run ? reconcile_foresee(call->host, &outcomes, error)
                    : reconcile_host(call->host, &outcomes, error);
    if (!is_dry_run)
        counters_add(call->host, COUNTERS_RECONCILE, rc == 0 && outcomes.failed ? -EBUSY : rc,
                     error);
    if (rc < 0)
        return command_ended(rc, error);
    tell(&outcomes, call);
    /* The timer's run writes no line into the journal if there was nothing to do. */
    if (outcomes.count == 0 && call->terminal->is_screen)
        say_line(call->out, "nothing was left half done");
    if (outcomes.failed == 0 || is_dry_run)
        return COMMAND_DONE;
    rc = error_set(error, -EBUSY, "%zu of %zu vGPUs could not be given back yet", outcomes.failed,
                   outcomes.count);
    error_advise(error, "run it again later");
    return command_ended(rc, error);
}

const struct command command_reconcile = {
    .name = "reconcile",
    .arguments = "",
    .help = "finish what a hook, a daemon or a driver left half done",
    .example = "vgpuctl reconcile --dry-run",
    .page = "vgpuctl-repair",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_DRY_RUN) | OPTION_BIT(OPTION_REBUILD) |
               OPTION_BIT(OPTION_JSON),
    .run = run_reconcile,
};
