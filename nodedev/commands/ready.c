/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/deadline.h"
#include "base/reader.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "device/scan.h"
#include "lease/drained.h"
#include "placement/boot-wait.h"
#include "policy/policy-load.h"

/* Milliseconds. A driver takes seconds to start. Reading 256 virtual functions takes a part of this
 * time. */
#define PAUSE 500
/* The longest --timeout: a day, in seconds. */
#define LONGEST 86400

/* Returns how many GPUs of the policy are missing, and names each of them in error. *left gets the
 * time that boot_wait still leaves them. Returns -errno with a line in error. */
static int
find_missing(const struct host *host, const struct policy *policy, unsigned *left,
             struct error *error)
{
    AUTO(inventory_clear) struct inventory inventory = {0};
    AUTO(names_clear) struct names drained = {0};
    int rc, missing = 0;

    *left = 0;
    reader_begin(host->reader, READER_PATIENCE);
    rc = scan_host(host, policy, &inventory_no_types, &inventory, error);
    if (rc == 0)
        rc = drained_check(drained_read(host, &drained), error);
    if (rc < 0)
        return rc;
    *error = (struct error){0};
    *left = boot_wait_left(policy, &drained, &inventory, host_uptime(host));
    for (size_t i = 0; i < policy->gpu_count; i++) {
        const struct policy_gpu *gpu = &policy->gpus[i];

        if (!boot_wait_misses(gpu, &drained, &inventory))
            continue;
        missing++;
        error_add(error, "%s (%s)", gpu->address.text, gpu->origin);
    }
    return missing;
}

static enum command_status
run_ready(const struct command_call *call, struct error *error)
{
    AUTO(policy_clear) struct policy policy = {0};
    unsigned seconds, left, ignored, pause = PAUSE;
    struct deadline deadline;
    int missing;

    if (options_number(&call->options, OPTION_TIMEOUT, 0, LONGEST, 0, &seconds, error) < 0)
        return COMMAND_USAGE;
    if (policy_load(call->host, &policy, error) < 0)
        return COMMAND_FAILED;
    if (!policy.enabled)
        return COMMAND_DONE;
    missing = find_missing(call->host, &policy, &left, error);
    if (option_given(&call->options, OPTION_TIMEOUT))
        left = 1000 * seconds;
    if (missing > 0 && left)
        say_line(call->out, "waiting %u s at most for %s", (left + 999) / 1000, error->text);
    fflush(call->out);
    deadline = deadline_in(call->host, left);
    while (missing > 0 && deadline_pause(deadline, &pause))
        missing = find_missing(call->host, &policy, &ignored, error);
    if (missing == 0 && call->terminal->is_screen)
        say_line(call->out, "every GPU that vgpu.conf names offers types");
    if (missing <= 0)
        return missing < 0 ? COMMAND_FAILED : COMMAND_DONE;
    error_wrap(error, "these GPUs offer no types yet");
    error_add(error, "is the driver loaded, and are its virtual functions enabled?");
    return COMMAND_BUSY;
}

const struct command command_ready = {
    .name = "ready",
    .arguments = "",
    .help = "wait until the GPUs of vgpu.conf offer types",
    .example = "vgpuctl ready --timeout 60",
    .page = "vgpuctl-gpu",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_TIMEOUT),
    .run = run_ready,
};
