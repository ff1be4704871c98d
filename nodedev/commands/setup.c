/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup.h"
#include "actions/snapshot.h"
#include "base/array.h"
#include "base/deadline.h"
#include "base/reader.h"
#include "cli/pick.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "libvirt/child.h"
#include "policy/policy-load.h"
#include "setup/setup-declaration.h"
#include "setup/startup-notice.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#define PAUSE         2000  /* ms between the first two tries; then it doubles */
#define LONGEST_PAUSE 15000 /* ms */
#define PATIENCE      15000 /* ms that libvirt's daemons wait for cards that somebody uses */

enum column { GPU, PART, DECLARED, NOW, STEP, RESULT, REASON };

static const struct table_column columns[] = {
    [GPU] = {.name = "GPU"},
    [PART] = {.name = "PART"},
    [DECLARED] = {.name = "DECLARED", .drop = 2},
    [NOW] = {.name = "NOW", .drop = 3},
    [STEP] = {.name = "STEP", .drop = 1},
    [RESULT] = {.name = "RESULT"},
    [REASON] = {.name = "REASON", .extra = true, .wraps = true},
};

/* A GPU of vgpu.conf that has a setup, and what became of it. */
struct card {
    const struct policy_gpu *said;
    struct setup_report report;
    int rc; /* before the first try: -ENODEV */
};

struct cards {
    struct card *items;
    size_t count;
};

static void
cards_clear(struct cards *cards)
{
    free(cards->items);
}

static void
add_card(struct cards *cards, const struct policy_gpu *said)
{
    struct card card = {.said = said};

    /* This stays if the process that sets the card up does not come to it. */
    card.rc =
        error_set(&card.report.error, -ENODEV,
                  "%s was not set up: a process of this command ended early", said->address.text);
    if (!ARRAY_HAS(cards->items, cards->count, other, other->said == said))
        ARRAY_ADD(cards->items, cards->count, card);
}

static int
find_named(const struct policy *policy, const struct names *declared, const char *word,
           struct cards *ret, struct error *error)
{
    struct name address;
    int rc = pick_name(declared, word, &address, error);

    if (rc == 0)
        add_card(ret, policy_find_gpu(policy, &address));
    if (rc != -ENOENT)
        return rc;
    error_set(error, rc, "no GPU whose setup vgpu.conf declares is called \"%s\"", word);
    for (size_t i = 0; i < declared->count; i++)
        error_add(error, "%s%s", i ? "" : "there are: ", declared->items[i].text);
    return rc;
}

/* Finds the GPUs that were typed, or all that have a setup and are not disabled. */
static int
find_cards(const struct command_call *call, const struct policy *policy, struct cards *ret,
           struct error *error)
{
    AUTO(names_clear) struct names declared = {0};
    int rc = 0;

    for (size_t i = 0; i < policy->gpu_count; i++) {
        const struct policy_gpu *gpu = &policy->gpus[i];

        if (!policy_has_setup(gpu))
            continue;
        names_append(&declared, &gpu->address);
        if (call->count == 0 && gpu->enabled)
            add_card(ret, gpu);
    }
    for (size_t i = 0; i < call->count && rc == 0; i++)
        rc = find_named(policy, &declared, call->arguments[i], ret, error);
    return rc;
}

/* --- what became of the cards ----------------------------------------------------------------- */

static void
add_lines(struct table *table, const struct card *card)
{
    for (size_t i = 0; i < card->report.count; i++) {
        const struct setup_line *line = &card->report.lines[i];
        bool has_failed = line->result == SETUP_FAILED || line->result == SETUP_IN_USE;

        table_line(table);
        table_set(table, GPU, "%s", card->said->address.text);
        table_set_text(table, PART, line->part ? line->part : "");
        table_set_text(table, DECLARED, line->said);
        table_set_text(table, NOW, line->now);
        table_set_text(table, STEP, line->step ? line->step : "");
        table_set(table, RESULT, "%s", setup_result_words[line->result]);
        table_set_text(table, REASON,
                       has_failed                     ? card->report.error.text
                       : line->result == SETUP_CANNOT ? card->report.cannot.text
                                                      : "");
    }
}

/* Tells why cards are not as declared. What a driver cannot do is a warning. The last line ends the
 * command: that of a failure, which outweighs a card in use, because that one can be set up later.
 * What holds for all cards, as a missing right, is told once. */
static int
conclude(const struct command_call *call, const struct cards *cards, struct error *error)
{
    const struct card *worst = NULL;

    for (size_t i = 0; i < cards->count; i++) {
        const struct card *card = &cards->items[i];

        if (*card->report.cannot.text)
            reply_warn(call, card->report.cannot.class, "%s", card->report.cannot.text);
        if (card->rc < 0 && (!worst || (worst->rc == -EBUSY && card->rc != -EBUSY)))
            worst = card;
    }
    for (size_t i = 0; i < cards->count; i++) {
        const struct card *card = &cards->items[i];

        if (card->rc == 0 || !strcmp(card->report.error.text, worst->report.error.text))
            continue;
        reply_fail(call, &card->report.error);
        say_line(call->faults, "vgpuctl: %s: %s", call->name, card->report.error.text);
    }
    if (!worst)
        return 0;
    *error = worst->report.error;
    return worst->rc;
}

/* --- the command ------------------------------------------------------------------------------ */

/* A tool may take a minute. So a screen shows what is being done. */
static void
show_step(void *data, const struct policy_gpu *said, const char *part, const char *step)
{
    const struct command_call *call = data;

    if (!call->terminal->is_screen)
        return;
    terminal_rewind(call->terminal, call->out);
    say_part(call->out, "%s: %s: %s ...", said->address.text, part, step);
    fflush(call->out);
}

/* Vendors' tools run one at a time on the whole host. Some cards need none. */
struct work {
    const struct command_call *call;
    struct cards *cards;
    struct deadline deadline; /* when the host has come up */
    struct deadline patience; /* when libvirt's daemons have waited enough for cards in use */
    struct child *child;      /* sets up the cards without tools, and tells its rounds; or NULL */
    const struct startup_notice *notice;
    bool *is_told; /* those in use were told, and libvirt's daemons do not wait for them */
};

static bool
is_past(struct deadline deadline)
{
    return deadline_left(deadline) == 0;
}

/* Tells systemd that the unit is up if only cards are left that somebody uses. */
static void
release_libvirt(const struct work *work)
{
    const struct cards *cards = work->cards;
    unsigned left = deadline_left(work->deadline) / 1000;

    if (*work->is_told || !is_past(work->patience) || left == 0 ||
        ARRAY_HAS(cards->items, cards->count, card, setup_may_come(card->rc)) ||
        !ARRAY_HAS(cards->items, cards->count, card, setup_is_held_up(card->rc)))
        return;
    startup_notice_send(work->notice);
    *work->is_told = true;
    for (size_t i = 0; i < cards->count; i++) {
        if (setup_is_held_up(cards->items[i].rc))
            say_line(
                work->call->faults,
                "vgpuctl: %s: %s; it is tried again for %u s, and libvirt does not wait for it",
                work->call->name, cards->items[i].report.error.text, left);
    }
    fflush(work->call->faults);
}

/* Whether a vendor's tools are needed to set up a card. They are slow, and one runs at a time. */
static bool
needs_tools(const struct work *work, const struct card *card)
{
    const struct card_vendor *vendor = card_vendor_of(work->call->host, &card->said->address);

    return vendor->set_functions || vendor->ask;
}

/* A person is told at once who holds a card up. At boot nobody is there to type the command again.
 */
static bool
may_come(const struct work *work, int rc)
{
    return setup_may_come(rc) || (setup_is_held_up(rc) && work->notice->socket >= 0);
}

/* Tries each card of one kind that is not as declared. Returns whether to try again. */
static bool
try_cards(const struct work *work, bool tools)
{
    const struct setup_listener listener = {show_step, (void *)work->call};
    bool dry_run = option_given(&work->call->options, OPTION_DRY_RUN), again = false;

    for (size_t i = 0; i < work->cards->count; i++) {
        struct card *card = &work->cards->items[i];
        struct setup_report report;

        if (!may_come(work, card->rc) || needs_tools(work, card) != tools)
            continue;
        card->rc = setup_run(work->call->host, card->said, dry_run, &listener, &report);
        card->report = report; /* at once, because the other process may read it */
        again |= may_come(work, card->rc);
    }
    return again && !dry_run;
}

/* Ends a round: the process that systemd started judges what is left. */
static void
end_round(const struct work *work, FILE *parent)
{
    if (!parent) {
        release_libvirt(work);
        return;
    }
    say_end(parent);
    fflush(parent);
}

/* Waits until the next round. The child's rounds count meanwhile. */
static void
rest(const struct work *work, unsigned pause)
{
    struct deadline end = deadline_earlier(deadline_in(work->call->host, pause),
                                           is_past(work->patience)
                                               ? work->deadline
                                               : deadline_earlier(work->patience, work->deadline));
    char round[1];

    while (!is_past(end)) {
        struct pollfd told = {.fd = work->child ? work->child->pipe : -1, .events = POLLIN};

        if (deadline_wait(end, &told, told.fd >= 0) > 0 &&
            child_hear(work->child, round, sizeof(round)) > 0)
            release_libvirt(work);
    }
}

/* While the host comes up, a card or its driver may not be ready yet, or somebody uses it. parent:
 * where a child says that a round has ended. */
static void
try_again(const struct work *work, bool tools, FILE *parent)
{
    bool again = try_cards(work, tools);
    unsigned pause = PAUSE;

    end_round(work, parent);
    while (again && !is_past(work->deadline)) {
        rest(work, pause);
        pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
        again = try_cards(work, tools);
        end_round(work, parent);
    }
}

/* --- side by side ----------------------------------------------------------------------------- */

static void
try_without_tools(const void *data, FILE *out)
{
    const struct work *work = data;
    struct reader *reader = work->call->host->reader;

    if (reader)
        *reader = READER_IDLE; /* the other one belongs to the parent */
    try_again(work, false, out);
    if (reader)
        reader_stop(reader);
}

static bool
has_both(const struct work *work)
{
    const struct cards *cards = work->cards;

    return ARRAY_HAS(cards->items, cards->count, card, needs_tools(work, card)) &&
           ARRAY_HAS(cards->items, cards->count, card, !needs_tools(work, card));
}

/* A vendor's tool may hang for more than a minute. Meanwhile another process sets up the cards
 * that need no tool, and what became of them is in memory that both have. */
static void
try_all(const struct work *work)
{
    struct cards *cards = work->cards;
    size_t size = cards->count * sizeof(*cards->items);
    struct card *own = cards->items;
    struct card *shared =
        has_both(work) ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                       : MAP_FAILED;
    struct work beside = *work;
    struct child child;
    bool has_child = false;
    char round[1];

    if (shared != MAP_FAILED) {
        cards->items = memcpy(shared, own, size);
        has_child = child_start(&child, try_without_tools, work) == 0;
    }
    if (!has_child)
        try_again(work, false, NULL);
    beside.child = has_child ? &child : NULL;
    try_again(&beside, true, NULL);
    if (has_child) {
        while (child_hear(&child, round, sizeof(round)) > 0)
            release_libvirt(work);
        child_end(&child, work->deadline);
    }
    if (shared != MAP_FAILED) {
        cards->items = memcpy(own, shared, size);
        munmap(shared, size);
    }
}

/* libvirt's daemons wait until boot_wait is over at most, even if a tool hangs, and 15 seconds for
 * cards that somebody uses: an exporter of metrics may never end. */
static void
set_up(const struct command_call *call, const struct policy *policy, struct cards *cards)
{
    uint64_t uptime = host_uptime(call->host);
    unsigned left = uptime < policy->boot_wait ? policy->boot_wait - (unsigned)uptime : 0;
    struct startup_notice notice;
    bool is_told = false;
    const struct work work = {.call = call,
                              .cards = cards,
                              .deadline = deadline_in(call->host, left),
                              .patience = deadline_in(call->host, PATIENCE),
                              .notice = &notice,
                              .is_told = &is_told};
    struct error failure;

    if (startup_notice_begin(&notice, left, &failure) < 0)
        reply_warn(call, failure.class, "%s", failure.text);
    try_all(&work);
    startup_notice_end(&notice);
    terminal_rewind(call->terminal, call->out);
}

/* Says how the GPUs are, in place of changing them. */
static enum command_status
run_text(const struct command_call *call, bool declare, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc;

    if (options_want_table(&call->options) || option_given(&call->options, OPTION_DRY_RUN) ||
        (!declare && call->count))
        return command_ended(error_refuse(error, ERROR_USAGE, "%s",
                                          declare ? "--declare takes no table and no --dry-run: "
                                                    "--print shows what it would write"
                                                  : "--print prints all GPUs, as text for "
                                                    "vgpu.conf: it takes no GPU, no table and no "
                                                    "--dry-run"),
                             error);
    rc = snapshot_take(&snapshot, call->host, &inventory_no_types, error);
    if (rc == 0)
        rc = declare ? setup_declaration_write(call, &snapshot, error)
                     : setup_declaration_print(call, &snapshot, error);
    return command_ended(rc, error);
}

static enum command_status
run_setup(const struct command_call *call, struct error *error)
{
    AUTO(policy_clear) struct policy policy = {0};
    AUTO(cards_clear) struct cards cards = {0};
    AUTO(table_end) struct table table = {0};
    int rc;

    if (option_given(&call->options, OPTION_DECLARE) || option_given(&call->options, OPTION_PRINT))
        return run_text(call, option_given(&call->options, OPTION_DECLARE), error);
    if (table_start(&table, "setup", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    rc = policy_load(call->host, &policy, error);
    if (rc == 0)
        rc = find_cards(call, &policy, &cards, error);
    if (rc < 0)
        return command_ended(rc, error);
    set_up(call, &policy, &cards);
    for (size_t i = 0; i < cards.count; i++)
        add_lines(&table, &cards.items[i]);
    table_say_empty(&table, "vgpu.conf declares no setup of a GPU");
    rc = table_print(&table, error);
    if (rc == 0)
        rc = conclude(call, &cards, error);
    return command_ended(rc, error);
}

const struct command command_setup = {
    .name = "setup",
    .arguments = "[GPU...]",
    .help = "make GPUs as vgpu.conf declares them: functions, GPU instances, sizes",
    .example = "vgpuctl setup --dry-run",
    .page = "vgpuctl-gpu",
    .most = SIZE_MAX,
    .changes = COMMAND_CHANGES_GPUS,
    .options = OPTION_BIT(OPTION_DRY_RUN) | OPTION_BIT(OPTION_PRINT) | OPTION_BIT(OPTION_DECLARE) |
               OPTION_BITS_TABLE,
    .option_help = {[OPTION_PRINT] = "print how the GPUs are set up now, for vgpu.conf"},
    .run = run_setup,
};
