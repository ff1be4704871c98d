/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sriov/sriov.h"
#include "cli/pick.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "device/pci.h"
#include "sriov/users.h"

#include <limits.h>
#include <string.h>

/* --- which card ------------------------------------------------------------------------------- */

/* vgpu.conf may call any device a GPU. */
static bool
is_gpu(const struct host *host, const struct snapshot *snapshot, const struct name *address)
{
    size_t ignored;

    return pci_is_gpu(host, address) || policy_find_gpu(&snapshot->policy, address) ||
           inventory_find_gpu(&snapshot->inventory, address, &ignored);
}

/* Lists the devices that can have virtual functions: the GPUs, or the devices that are no GPUs. */
static int
list_cards(const struct host *host, const struct snapshot *snapshot, bool gpus, struct names *ret,
           struct error *error)
{
    AUTO(names_clear) struct names devices = {0};
    int rc = host_list(host, &devices, PCI_DEVICES);

    for (size_t i = 0; rc == 0 && i < devices.count; i++) {
        const struct name *device = &devices.items[i];

        if (host_exists(host, PCI_DEVICES "/%s/sriov_totalvfs", device->text) &&
            is_gpu(host, snapshot, device) == gpus)
            names_append(ret, device);
    }
    return rc < 0 ? error_set(error, rc, "/" PCI_DEVICES ": %s", strerror(-rc)) : 0;
}

static int
no_such_card(const struct names *cards, const char *word, struct error *error)
{
    if (cards->count == 0)
        return error_set(error, -ENOENT,
                         "no GPU here can have virtual functions (none has a file "
                         "sriov_totalvfs); is SR-IOV on in the firmware?");
    error_set(error, -ENOENT,
              "there is no GPU \"%s\" here that can have virtual functions; there are: %s", word,
              cards->items[0].text);
    for (size_t i = 1; i < cards->count; i++)
        error_add(error, "%s", cards->items[i].text);
    return -ENOENT;
}

static int
find_address(const struct command_call *call, const struct snapshot *snapshot, struct name *ret,
             struct error *error)
{
    AUTO(names_clear) struct names cards = {0}, others = {0};
    const char *word = call->arguments[1];
    int rc = list_cards(call->host, snapshot, true, &cards, error);

    if (rc == 0)
        rc = list_cards(call->host, snapshot, false, &others, error);
    if (rc < 0)
        return rc;
    rc = pick_name(&cards, word, ret, error);
    if (rc != -ENOENT)
        return rc;
    if (pick_name(&others, word, ret, error) < 0)
        return no_such_card(&cards, word, error);
    return error_set(error, -ENOENT,
                     "%s is no display controller and no accelerator; if its virtual functions are "
                     "for guests all the same, name it in gpus of vgpu.conf",
                     ret->text);
}

static int
find_card(const struct command_call *call, const struct snapshot *snapshot, struct sriov_gpu *ret,
          struct error *error)
{
    struct name address;
    int rc = find_address(call, snapshot, &address, error);

    if (rc < 0)
        return rc;
    rc = sriov_gpu_read(call->host, &address, ret);
    if (rc == -ENOENT)
        return error_set(error, rc, "%s can have no virtual functions: its sriov_totalvfs is 0",
                         address.text);
    return rc < 0 ? error_set(error, rc, "/" PCI_DEVICES "/%s: %s", address.text, strerror(-rc))
                  : 0;
}

/* --- what is told ----------------------------------------------------------------------------- */

/* Settles functions that have just been made. */
static int
settle(const struct command_call *call, struct snapshot *snapshot, const struct sriov_gpu *card,
       struct error *error)
{
    int rc = snapshot_scan(snapshot, call->host, error);

    if (rc == 0)
        rc = sriov_settle(call->host, snapshot, card, error);
    if (rc > 0)
        say_line(call->out,
                 "The driver had shared out the GPU's memory among them; it is free again for the "
                 "profiles of vgpu.conf");
    return rc < 0 ? rc : 0;
}

static int
enable(const struct command_call *call, struct snapshot *snapshot, struct sriov_gpu *card,
       struct error *error)
{
    const char *address = card->address.text;
    unsigned count;
    int rc = options_number(&call->options, OPTION_COUNT, 1, UINT16_MAX, 0, &count, error);

    if (rc == 0)
        rc = sriov_enable(call->host, card, count, error);
    if (rc < 0)
        return rc;
    say_line(call->out, "%s has %u virtual functions%s", address, (unsigned)card->enabled,
             rc ? " now" : " already");
    if (host_exists(call->host, "run/systemd/system") &&
        !sriov_gpu_is_for_boot(call->host, &card->address))
        say_line(
            call->out,
            "A boot takes them away; to have all of them again: systemctl enable " SRIOV_GPU_UNIT,
            address);
    return rc ? settle(call, snapshot, card, error) : 0;
}

static int
disable(const struct command_call *call, struct snapshot *snapshot, struct sriov_gpu *card,
        struct error *error)
{
    const char *address = card->address.text;
    int rc = sriov_disable(call->host, card, error);

    (void)snapshot;
    if (rc < 0)
        return rc;
    say_line(call->out, rc ? "%s has no virtual functions any more" : "%s had no virtual functions",
             address);
    if (sriov_gpu_is_for_boot(call->host, &card->address))
        say_line(call->out,
                 "The next boot enables them; to leave them off: systemctl disable " SRIOV_GPU_UNIT,
                 address);
    return 0;
}

/* --- the command ------------------------------------------------------------------------------ */

struct action {
    const char *name;
    int (*run)(const struct command_call *call, struct snapshot *snapshot, struct sriov_gpu *card,
               struct error *error);
    bool takes_away; /* it removes all functions, and somebody may use them */
};

static const struct action actions[] = {{"enable", enable, false}, {"disable", disable, true}};

static const struct action *
find_action(const struct command_call *call, struct error *error)
{
    for (size_t i = 0; i < COUNT(actions); i++) {
        if (strcmp(actions[i].name, call->arguments[0]))
            continue;
        if (!actions[i].takes_away || !option_given(&call->options, OPTION_COUNT))
            return &actions[i];
        error_refuse(error, ERROR_USAGE, "%s takes no --count: all go", actions[i].name);
        return NULL;
    }
    error_refuse(error, ERROR_USAGE, "enable or disable, please, not \"%s\"", call->arguments[0]);
    return NULL;
}

/* A host gets its functions at boot even if the configuration or the ledger is broken. Functions
 * are taken away only if their users are known. */
static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};
    const struct action *action = find_action(call, error);
    int rc;

    if (!action)
        return COMMAND_USAGE;
    if (snapshot_take(&snapshot, call->host, &inventory_no_types, error) < 0 && action->takes_away)
        return COMMAND_FAILED;
    rc = find_card(call, &snapshot, &card, error);
    if (rc == 0 && action->takes_away && card.enabled)
        rc = users_check(call->host, &snapshot, &card, error);
    if (rc == 0)
        rc = action->run(call, &snapshot, &card, error);
    return command_ended(rc, error);
}

const struct command command_sriov = {
    .name = "sriov",
    .arguments = "enable|disable GPU",
    .help = "enable or disable a GPU's virtual functions",
    .page = "vgpuctl-gpu",
    .least = 2,
    .most = 2,
    .options = OPTION_BIT(OPTION_COUNT),
    .run = run,
};
