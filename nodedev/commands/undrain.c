/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/json.h"
#include "cli/pick.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "lease/drained.h"
#include "view/gpu-view.h"

/* Returns 1 if the GPU was drained. The GPU may have been removed from the host since. */
static int
undrain(const struct command_call *call, struct name *gpu, struct error *error)
{
    AUTO(names_clear) struct names drained = {0};
    int rc = drained_check(drained_read(call->host, &drained), error);

    if (rc == 0)
        rc = pick_name(&drained, call->arguments[0], gpu, error);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    return drained_remove(call->host, gpu, error);
}

static void
put(const struct command_call *call, const struct name *gpu, bool was_drained)
{
    struct json *json = reply_json(call);

    json_open(json, "gpus", '[');
    json_open(json, NULL, '{');
    json_text(json, "gpu", gpu->text);
    json_flag(json, "was-drained", was_drained);
    json_close(json, '}');
    json_close(json, ']');
}

/* To undrain a GPU that is not drained is no error. A word that names no GPU is an error. */
static enum command_status
run_undrain(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    struct name gpu;
    int rc = undrain(call, &gpu, error);
    bool was_drained = rc > 0;
    const struct inventory_gpu *found;

    if (rc == 0)
        rc = snapshot_take_to_show(&snapshot, call->host, &inventory_no_types, error);
    if (rc == 0)
        rc = gpu_view_find(&snapshot, call->host, call->arguments[0], &found, error);
    if (rc < 0)
        return command_ended(rc, error);
    if (!was_drained)
        gpu = found->name;
    if (reply_is_wanted(call))
        put(call, &gpu, was_drained);
    say_line(call->out, was_drained ? "%s is not drained any more" : "%s was not drained",
             gpu.text);
    return COMMAND_DONE;
}

const struct command command_undrain = {
    .name = "undrain",
    .arguments = "GPU",
    .help = "make vGPUs on a GPU again",
    .example = "vgpuctl undrain 3b:00.0",
    .page = "vgpuctl-gpu",
    .least = 1,
    .most = 1,
    .changes = COMMAND_CHANGES_GPUS,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_JSON),
    .run = run_undrain,
};
