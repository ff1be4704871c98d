/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/reap.h"
#include "base/array.h"
#include "cli/pick.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "device/scan.h"
#include "libvirt/references.h"
#include "view/change.h"
#include "view/vgpu-walk.h"

/* Lists the vGPUs of this host. */
static int
list_devices(const struct host *host, const struct ledger *ledger, struct names *ret,
             struct error *error)
{
    AUTO(inventory_clear) struct inventory inventory = {0};
    struct vgpu_walk walk = {.ledger = ledger, .inventory = &inventory};
    int rc = scan_host(host, NULL, &inventory_no_types, &inventory, error);

    while (rc == 0 && vgpu_walk_next(&walk))
        names_append(ret, walk.device);
    return rc;
}

/* A whole name may name a device that is not in the list. A short address has to be in the list. */
static int
read_name(const struct command_call *call, const struct ledger *ledger, const char *word,
          struct name *ret, struct error *error)
{
    AUTO(names_clear) struct names devices = {0};
    int rc;

    if (name_parse_uuid(ret, word) == 0 || name_parse_pci(ret, word) == 0)
        return 0;
    rc = list_devices(call->host, ledger, &devices, error);
    if (rc == 0)
        rc = pick_name(&devices, word, ret, error);
    if (rc != -ENOENT)
        return rc;
    return error_set(error, rc,
                     "there is no vGPU \"%s\": vGPUs are named by UUID, or by the address of a "
                     "virtual function, as 'vgpuctl orphans' shows them",
                     word);
}

/* Reads the names in the order in which they were typed, each of them once. */
static int
read_names(const struct command_call *call, const struct ledger *ledger, struct names *ret,
           struct error *error)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < call->count; i++) {
        struct name name;

        rc = read_name(call, ledger, call->arguments[i], &name, error);
        if (rc == 0)
            names_append_new(ret, &name);
    }
    return rc;
}

static void
print_outcome(const struct lease_outcome *each, bool dry_run, FILE *out)
{
    const char *device = each->lease.vgpu.device.text;

    if (each->outcome == OUTCOME_LEFT)
        say_line(out, "%s left alone: %s", device, each->why.text);
    else
        say_line(out, "%s %s%s", device, dry_run ? "would be " : "", outcome_name(each->outcome));
}

static int
reap(const struct command_call *call, struct lease_outcomes *outcomes, struct error *error)
{
    AUTO(ledger_clear) struct ledger before = {0};
    AUTO(references_clear) struct references owners = {.statedir = STATEDIR_CLOSED};
    AUTO_FREE struct reap_reference *references = NULL;
    AUTO(names_clear) struct names named = {0};
    struct domains_walk walk = {0};
    struct reap_order order = {.before = &before,
                               .named = &named,
                               .dry_run = option_given(&call->options, OPTION_DRY_RUN)};
    int rc = statedir_peek(call->host, &before, error);

    if (rc == 0)
        rc = read_names(call, &before, &named, error);
    if (rc < 0)
        return rc;
    rc = references_ask(call->host, call->uri, &owners, error);
    if (rc < 0) {
        error_add(error, "only libvirt knows which domains are defined, so nothing is removed");
        return rc;
    }
    while (domains_next_hostdev(&owners.domains, &walk)) {
        struct reap_reference reference = {walk.hostdev->source, walk.domain->name};

        ARRAY_ADD(references, order.count, reference);
    }
    order.references = references;
    return reap_devices(call->host, &order, outcomes, error);
}

static enum command_status
run_reap(const struct command_call *call, struct error *error)
{
    const bool is_dry_run = option_given(&call->options, OPTION_DRY_RUN);
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    AUTO(changes_clear) struct changes changes = {.is_dry_run = is_dry_run};
    int rc = reap(call, &outcomes, error);

    if (rc < 0)
        return command_ended(rc, error);
    for (size_t i = 0; i < outcomes.count; i++)
        print_outcome(&outcomes.items[i], is_dry_run, call->out);
    changes_add_outcomes(&changes, &outcomes);
    changes_put(&changes, call);
    if (outcomes.count == 0 && !reply_is_wanted(call))
        say_line(call->faults, "no orphan of ours is here: nothing is to be removed");
    if (outcomes.failed == 0)
        return COMMAND_DONE;
    return command_ended(error_set(error, -EBUSY, "%zu of %zu vGPUs were left alone",
                                   outcomes.failed, outcomes.count),
                         error);
}

const struct command command_reap = {
    .name = "reap",
    .arguments = "[DEVICE...]",
    .help = "remove vGPUs that no domain refers to",
    .example = "vgpuctl reap --dry-run",
    .page = "vgpuctl-repair",
    .most = SIZE_MAX,
    .changes = COMMAND_CHANGES_GPUS,
    .options = OPTION_BIT(OPTION_DRY_RUN) | OPTION_BIT(OPTION_JSON),
    .run = run_reap,
};
