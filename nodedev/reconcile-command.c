/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command.h"
#include "counters.h"
#include "reconcile.h"

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(findings_clear) struct findings findings = {0};
    int rc = reconcile_host(call->host, &findings, error);

    counters_add(call->host, COUNTERS_RECONCILE, rc == 0 && findings.failed ? -EBUSY : rc);
    if (rc < 0)
        return COMMAND_FAILED;
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];

        fprintf(call->out, "%s %s %s: %s\n", finding->lease.vgpu.device.text,
                finding->lease.domain_name, outcome_name(finding->outcome), finding->why.text);
    }
    if (findings.failed == 0)
        return COMMAND_DONE;
    error_set(error, -EBUSY, "%zu of %zu vGPUs could not be given back yet; run it again later",
              findings.failed, findings.count);
    return COMMAND_BUSY;
}

const struct command command_reconcile = {
    .name = "reconcile",
    .arguments = "",
    .help = "finish what a hook, a daemon or a driver left half done",
    .options = OPTION_BIT(OPTION_ROOT),
    .run = run,
};
