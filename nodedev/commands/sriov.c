/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/pick.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "device/pci.h"
#include "prove/workbench.h"
#include "sriov/sriov.h"

#include <string.h>

/* --- which card ------------------------------------------------------------------------------- */

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
cannot_list(int rc, struct error *error)
{
    return error_set(error, rc, "/" PCI_DEVICES ": %s", strerror(-rc));
}

static int
find_address(const struct command_call *call, const struct snapshot *snapshot, struct name *ret,
             struct error *error)
{
    AUTO(names_clear) struct names cards = {0}, others = {0};
    const char *word = call->arguments[1];
    int rc = sriov_gpu_list(call->host, snapshot, true, &cards);

    if (rc == 0)
        rc = sriov_gpu_list(call->host, snapshot, false, &others);
    if (rc < 0)
        return cannot_list(rc, error);
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
cannot_read(const struct name *card, int rc, struct error *error)
{
    if (rc == -ENOENT)
        return error_set(error, rc, "%s can have no virtual functions: its sriov_totalvfs is 0",
                         card->text);
    return error_set(error, rc, "/" PCI_DEVICES "/%s: %s", card->text, strerror(-rc));
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
    return rc < 0 ? cannot_read(&address, rc, error) : 0;
}

/* --- what is told ----------------------------------------------------------------------------- */

/* Takes back the memory of functions that have just been made. */
static int
take_back_shares(const struct command_call *call, struct snapshot *snapshot,
                 const struct sriov_gpu *card, struct error *error)
{
    int rc = snapshot_scan(snapshot, call->host, error);

    if (rc == 0)
        rc = sriov_take_back_shares(call->host, snapshot, card, error);
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
            "A boot takes them away; to have them again after each: vgpuctl setup --declare %s",
            address);
    return rc ? take_back_shares(call, snapshot, card, error) : 0;
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

/* --- who has how many ------------------------------------------------------------------------- */

enum column { GPU, DRIVER, FUNCTIONS, FUNCTIONS_AT_MOST, BOOT };

static const struct table_column columns[] = {
    [GPU] = {.name = "GPU"},
    [DRIVER] = {.name = "DRIVER"},
    [FUNCTIONS] = {.name = "FUNCTIONS", .kind = TABLE_NUMBER},
    [FUNCTIONS_AT_MOST] = {.name = "FUNCTIONS-AT-MOST", .kind = TABLE_NUMBER},
    [BOOT] = {.name = "BOOT", .kind = TABLE_FLAG},
};

static void
add_card(const struct command_call *call, const struct sriov_gpu *card, struct table *table)
{
    table_line(table);
    table_set(table, GPU, "%s", card->address.text);
    table_set_text(table, DRIVER, pci_driver(call->host, &card->address).text);
    table_set(table, FUNCTIONS, "%u", (unsigned)card->enabled);
    table_set(table, FUNCTIONS_AT_MOST, "%u", (unsigned)card->total);
    table_set_flag(table, BOOT, sriov_gpu_is_for_boot(call->host, &card->address));
}

static int
add_cards(const struct command_call *call, const struct snapshot *snapshot, struct table *table,
          struct error *error)
{
    AUTO(names_clear) struct names cards = {0};
    int rc = sriov_gpu_list(call->host, snapshot, true, &cards);

    if (rc < 0)
        return cannot_list(rc, error);
    for (size_t i = 0; i < cards.count; i++) {
        AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};

        /* A card whose number is 0 can have none. */
        if (sriov_gpu_read(call->host, &cards.items[i], &card) == 0)
            add_card(call, &card, table);
    }
    table_say_empty(table, "no GPU here can have virtual functions");
    return 0;
}

/* --- the command ------------------------------------------------------------------------------ */

struct action {
    const char *name;
    /* Changes a card. NULL: the action shows the cards. */
    int (*run)(const struct command_call *call, struct snapshot *snapshot, struct sriov_gpu *card,
               struct error *error);
    bool takes_count;
    bool takes_away; /* it removes all functions, and somebody may use them */
};

static const struct action actions[] = {{"status", NULL, false, false},
                                        {"enable", enable, true, false},
                                        {"disable", disable, false, true}};

/* Whether the other words of the command line make sense for an action. */
static bool
fits(const struct command_call *call, const struct action *action, struct error *error)
{
    if (!action->takes_count && option_given(&call->options, OPTION_COUNT))
        error_refuse(error, ERROR_USAGE, "%s takes no --count%s", action->name,
                     action->takes_away ? ": all go" : "");
    else if (action->run && options_want_table(&call->options) && !reply_is_wanted(call))
        error_refuse(error, ERROR_USAGE, "%s prints no table: only status does", action->name);
    else if (action->run && call->count < 2)
        error_refuse(error, ERROR_USAGE, "%s which GPU? 'vgpuctl sriov status' lists them",
                     action->name);
    else
        return true;
    return false;
}

static const struct action *
find_action(const struct command_call *call, struct error *error)
{
    for (size_t i = 0; i < COUNT(actions); i++) {
        if (!strcmp(actions[i].name, call->arguments[0]))
            return fits(call, &actions[i], error) ? &actions[i] : NULL;
    }
    error_refuse(error, ERROR_USAGE, "status, enable or disable, please, not \"%s\"",
                 call->arguments[0]);
    return NULL;
}

/* Takes the card, so that nobody gets a vGPU there meanwhile. Functions are taken away only if
 * their users are known. A host gets its functions at boot even if the configuration or the ledger
 * is broken: then no guest gets a vGPU at all. */
static int
take(const struct command_call *call, const struct action *action, struct snapshot *snapshot,
     struct sriov_gpu *card, struct workbench *bench, struct error *error)
{
    const struct name address = card->address;
    int rc = workbench_take_with_leases(call->host, &address, snapshot, bench, error);

    if (rc < 0 && (action->takes_away || rc == -EBUSY))
        return rc;
    /* Until the card was taken, another process could change it. */
    sriov_gpu_clear(card);
    rc = sriov_gpu_read(call->host, &address, card);
    if (rc < 0)
        return cannot_read(&address, rc, error);
    if (!action->takes_away)
        return 0;
    rc = snapshot_take_again(snapshot, call->host, error);
    return rc < 0 ? rc : users_check(call->host, snapshot, card, error);
}

static int
act(const struct command_call *call, const struct action *action, struct snapshot *snapshot,
    struct table *table, struct error *error)
{
    AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};
    AUTO(workbench_close) struct workbench bench = WORKBENCH_NONE;
    bool shows_all = call->count < 2;
    int rc = shows_all ? add_cards(call, snapshot, table, error)
                       : find_card(call, snapshot, &card, error);

    /* A card that is in use is not even taken: that would keep guests from it for a moment. */
    if (rc == 0 && action->takes_away && card.enabled)
        rc = users_check(call->host, snapshot, &card, error);
    if (rc == 0 && action->run && action->takes_away == (card.enabled > 0))
        rc = take(call, action, snapshot, &card, &bench, error);
    if (rc == 0 && action->run)
        rc = action->run(call, snapshot, &card, error);
    if (rc < 0 || (action->run && !reply_is_wanted(call)))
        return rc;
    if (!shows_all)
        add_card(call, &card, table);
    return table_print(table, error);
}

static enum command_status
run_sriov(const struct command_call *call, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(table_end) struct table table = {0};
    const struct action *action;

    if (table_start(&table, "sriov", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    action = find_action(call, error);
    if (!action)
        return COMMAND_USAGE;
    if (snapshot_take(&snapshot, call->host, &inventory_no_types, error) < 0 && action->takes_away)
        return COMMAND_FAILED;
    return command_ended(act(call, action, &snapshot, &table, error), error);
}

const struct command command_sriov = {
    .name = "sriov",
    .arguments = "status|enable|disable [GPU]",
    .help = "show, enable or disable GPUs' virtual functions",
    .example = "vgpuctl sriov enable 3b:00.0",
    .page = "vgpuctl-gpu",
    .least = 1,
    .most = 2,
    .changes = COMMAND_CHANGES_NAMED_GPU,
    .options = OPTION_BIT(OPTION_COUNT) | OPTION_BITS_TABLE,
    .option_help = {[OPTION_COUNT] = "how many functions; the default is all"},
    .run = run_sriov,
};
