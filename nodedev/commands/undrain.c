/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "cli/say.h"
#include "policy/drained.h"
#include "view/host-snapshot.h"

/* 1: it was drained. It need not be there any more. */
static int
undrain(const struct command_call *call, struct error *error)
{
    const char *word = call->arguments[0];
    struct name gpu;

    if (name_parse_pci(&gpu, word) < 0 && name_parse(&gpu, word) < 0)
        return 0;
    return drained_remove(call->host, &gpu, error);
}

/* To undrain what is not drained is fine, if it is a GPU at all. */
static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = undrain(call, error);
    size_t index;

    if (rc == 0)
        rc = snapshot_take(&snapshot, call->host, &inventory_no_types, error);
    if (rc == 0)
        rc = host_snapshot_find_gpu(&snapshot, call->arguments[0], &index, error);
    if (rc >= 0)
        say_line(call->out, rc ? "%s is not drained any more" : "%s was not drained",
                 call->arguments[0]);
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_undrain = {
    .name = "undrain",
    .arguments = "GPU",
    .help = "make vGPUs on a GPU again",
    .least = 1,
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT),
    .run = run,
};
