/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/passthrough.h"
#include "attach/what-if.h"
#include "check/domain-check.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "lease/statedir.h"
#include "libvirt/version.h"
#include "placement/alternatives.h"
#include "view/explanation.h"
#include "view/host-view.h"

#include <string.h>

#define MOST_TEXT 8192 /* bytes: enough for more functions than a GPU can have */

enum column {
    DEVICE,
    ALIAS,
    WANTED,
    GPU,
    VERDICT,
    PARENT,
    TYPE,
    NAME,
    CAUSE,
    USED,
    LIMIT,
    ROOM,
    ROOM_AT_MOST,
    REASON,
    OTHERS
};

static const struct table_column columns[] = {
    [DEVICE] = {.name = "DEVICE"},
    [ALIAS] = {.name = "ALIAS", .drop = 4},
    [WANTED] = {.name = "WANTED", .drop = 3},
    [GPU] = {.name = "GPU"},
    [VERDICT] = {.name = "VERDICT"},
    [PARENT] = {.name = "PARENT", .drop = 2},
    [TYPE] = {.name = "TYPE", .drop = 1},
    [NAME] = {.name = "NAME", .extra = true},
    [CAUSE] = {.name = "CAUSE", .extra = true},
    [USED] = {.name = "USED", .kind = TABLE_NUMBER, .extra = true},
    [LIMIT] = {.name = "LIMIT", .kind = TABLE_NUMBER, .extra = true},
    [ROOM] = {.name = "ROOM", .kind = TABLE_NUMBER, .extra = true},
    [ROOM_AT_MOST] = {.name = "ROOM-AT-MOST", .kind = TABLE_NUMBER, .extra = true},
    [REASON] = {.name = "REASON", .wraps = true},
    [OTHERS] = {.name = "OTHERS", .kind = TABLE_LIST, .extra = true, .costs = true, .wraps = true},
};

/* Lists in tables have no blanks. */
static void
add_others(struct table *table, const struct dry_run_loads *loads, const struct demand *demand,
           const struct inventory_gpu *gpu)
{
    char text[MOST_TEXT], *to = text;
    struct text list = text_on(text, sizeof(text));

    if (!table_shows(table, OTHERS))
        return;
    if (alternatives_list(&loads->now, demand, gpu, SIZE_MAX, &list) == 0)
        *text = '\0';
    for (const char *from = text; *from; from++) {
        if (*from != ' ')
            *to++ = *from;
    }
    *to = '\0';
    table_set_text(table, OTHERS, text);
}

static void
add_figures(struct table *table, const struct gpu_figures *figures)
{
    const struct {
        enum column column;
        int64_t figure;
    } rows[] = {{USED, figures->used},
                {LIMIT, figures->limit},
                {ROOM, figures->room},
                {ROOM_AT_MOST, figures->room_at_most}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].figure < 0)
            table_set_none(table, rows[i].column);
        else
            table_set_figure(table, rows[i].column, rows[i].figure);
    }
}

static void
add_gpu(struct table *table, const struct dry_run *dry_run, const struct dry_run_loads *loads,
        size_t index, const struct inventory_gpu *gpu)
{
    const struct demand *demand = &dry_run->snapshot.demands.items[index];
    const struct place *place = &dry_run->choices[index].place;
    struct gpu_reason why;
    enum dry_run_answer answer = dry_run_judge(dry_run, loads, index, gpu, &why);
    bool is_chosen = answer >= DRY_RUN_CHOSEN;

    table_line(table);
    table_set(table, DEVICE, "%s", demand->hostdev->source.text);
    table_set_text(table, ALIAS, demand->hostdev->alias ? demand->hostdev->alias : "");
    table_set(table, WANTED, "%s", demand->wanted);
    table_set(table, GPU, "%s", gpu->name.text);
    table_set(table, VERDICT, "%s", dry_run_answer_words[answer]);
    table_set_text(table, CAUSE, reason_word(why.reason));
    table_set(table, REASON, "%s", why.text);
    add_figures(table, &why.figures);
    add_others(table, loads, demand, gpu);
    table_set_text(table, PARENT, is_chosen ? place->parent->name.text : "");
    table_set_text(table, TYPE, is_chosen ? place->type->id.text : "");
    table_set_text(table, NAME, is_chosen ? place->type->name : "");
}

/* A line for each device and GPU. */
static int
print_table(struct table *table, const struct dry_run *dry_run, struct error *error)
{
    for (size_t i = 0; i < dry_run->snapshot.demands.count; i++) {
        AUTO(dry_run_loads_clear) struct dry_run_loads loads = {0};

        dry_run_loads_init(&loads, dry_run, i);
        for (size_t gpu = 0; gpu < dry_run->snapshot.inventory.gpu_count; gpu++)
            add_gpu(table, dry_run, &loads, i, dry_run->snapshot.inventory.gpus[gpu]);
    }
    return table_print(table, error);
}

static void
put_verdict(const struct domain_source *source, const struct dry_run *dry_run, bool with_more,
            bool is_refused)
{
    if (reply_is_wanted(source->call))
        explanation_put(source, dry_run, with_more, is_refused, reply_json(source->call));
}

static int
print_text(const struct domain_source *source, const struct dry_run *dry_run, bool with_more,
           struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc = statedir_peek(source->call->host, &ledger, error);

    if (rc == 0)
        explanation_tell(source, &ledger, dry_run, with_more);
    return rc;
}

/* Tells what is wrong in the XML, and what is probably not meant. Faults of the configuration were
 * told before, and so was the refusal. */
static int
tell_faults(const struct domain_source *source, const struct dry_run_sight *sight,
            const struct error *refusal, struct error *error)
{
    const struct command_call *call = source->call;
    AUTO(findings_clear) struct findings found = {0};
    const struct domain_check check = {
        .policy = sight->knows_policy ? &sight->snapshot.policy : NULL,
        .host = call->host,
        .uri = call->uri,
        .file = source->word,
        .found = &found,
        .without_functions = true,
        .without_feasibility = true,
    };
    int rc = domain_check(&check, &source->text, error);
    bool is_first = true;

    for (size_t i = 0; i < found.count; i++) {
        const struct finding *finding = &found.items[i];

        if (strstr(refusal->text, finding->text))
            continue;
        if (is_first)
            say_paragraph(call->out, "What 'vgpuctl check' says of its XML:");
        is_first = false;
        say_part(call->out, "  ");
        if (finding->line)
            say_part(call->out, "line %u: ", finding->line);
        say_line(call->out, "%s%s",
                 finding->severity == FINDING_ERROR ? "" : "warning: ", finding->text);
    }
    return rc;
}

/* Refuses what a start would choose if this host's libvirt gives no guest such a function. It gave
 * a guest that runs what the guest has. */
static void
refuse_old_libvirt(const struct domain_source *source, struct dry_run *dry_run)
{
    const struct demands *demands = &dry_run->snapshot.demands;

    for (size_t i = 0; !source->domain.is_running && i < demands->count; i++) {
        struct place *place = &dry_run->choices[i].place;
        const struct inventory_parent *parent = place->parent;
        unsigned libvirt;

        /* Without room it has no place; but its hostdev may name a function. */
        if (!parent)
            parent = inventory_find_parent(&dry_run->snapshot.inventory,
                                           &demands->items[i].hostdev->source);
        if (!parent || parent->interface->hostdev != REQUEST_PCI)
            continue;
        libvirt = domain_source_version(source);
        if (!version_lacks(libvirt, parent->interface))
            continue;
        version_refuse(libvirt, &demands->items[i], &parent->name, &dry_run->refusal);
        dry_run->outcome = DRY_RUN_REFUSED;
        *place = (struct place){NULL, NULL};
    }
}

/* --- the command ------------------------------------------------------------------------------ */

static int
read_wish(const struct command_call *call, struct wish *ret, struct error *error)
{
    int rc = wish_read(call, ret, error);

    if (rc == 0 && !ret->count && call->count == 0)
        return error_refuse(error, ERROR_USAGE,
                            "name a domain or a file of its XML, or say --type or "
                            "--class");
    return rc;
}

/* Reads the domain, and adds to its request the vGPUs that are wished. */
static int
find_domain(const struct command_call *call, const struct wish *wish, struct domain_source *source,
            struct what_if *what_if, struct error *error)
{
    int rc = 0;

    if (call->count)
        rc = domain_source_open(call, CONNECTION_READ, source, error);
    else
        domain_source_draft(call, source);
    if (rc == 0)
        rc = domain_source_request(source, error);
    return rc == 0 && wish->count ? what_if_add(source, wish, what_if, error) : rc;
}

/* What a start would come to now. A guest with a saved state is restored. */
static int
try_start(const struct domain_source *source, const struct what_if *what_if,
          struct dry_run_sight *sight, struct dry_run *dry_run, struct error *error)
{
    const struct request *request = &source->request;
    bool is_restored =
        !what_if->added.count && source->domain.is_saved && !source->domain.is_running;
    int rc = dry_run_look(source->call->host, request, is_restored, sight, error);

    if (rc < 0)
        return rc;
    return what_if->added.count ? what_if_run(what_if, source, sight, dry_run, error)
                                : dry_run_make(dry_run, sight, request, &dry_run_unchanged, error);
}

static enum command_status
run_explain(const struct command_call *call, struct error *error)
{
    AUTO(domain_source_close) struct domain_source source = {0};
    AUTO(what_if_clear) struct what_if what_if = {0};
    AUTO(dry_run_sight_clear) struct dry_run_sight sight = DRY_RUN_UNSEEN;
    AUTO(dry_run_clear) struct dry_run dry_run = {0};
    AUTO(table_end) struct table table = {0};
    struct wish wish;
    struct error failure;
    int rc;

    if (table_start(&table, "explanation", columns, COUNT(columns), call, error) < 0 ||
        read_wish(call, &wish, error) < 0)
        return command_ended(REFUSED, error);
    rc = find_domain(call, &wish, &source, &what_if, error);
    if (rc < 0)
        return command_ended(rc, error);
    rc = try_start(&source, &what_if, &sight, &dry_run, error);
    if (rc == 0)
        refuse_old_libvirt(&source, &dry_run);
    host_view_warn(call, &sight.snapshot.inventory, sight.is_unsure);
    if (rc == 0 && options_want_table(&call->options))
        rc = print_table(&table, &dry_run, error);
    else if (rc == 0)
        rc = print_text(&source, &dry_run, wish.count, error);
    if (!options_want_table(&call->options) &&
        tell_faults(&source, &sight, rc < 0 ? error : &dry_run.refusal, &failure) < 0)
        reply_warn(call, failure.class, "its XML could not be checked: %s", failure.text);
    if (rc == 0 && dry_run.outcome == DRY_RUN_REFUSED) {
        put_verdict(&source, &dry_run, wish.count, false);
        *error = dry_run.refusal;
        rc = REFUSED;
    } else if (rc == 0) {
        /* A start has places for the vGPUs. The hook may refuse the guest all the same, if the
         * guest takes a card from under others. A guest that runs has its card. */
        if (!source.domain.is_running)
            rc = passthrough_foresee(call->host, &source.request, error);
        put_verdict(&source, &dry_run, wish.count, rc < 0);
    }
    if (rc < 0)
        error_wrap(error, "%s", source.request.name);
    return command_ended(rc, error);
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "[DOMAIN|FILE]",
    .help = "say which GPUs would take a domain's vGPUs, and why the others would not",
    .example = "vgpuctl explain web01 --type T4-1B",
    .page = "vgpuctl-guest",
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | WISH_BITS | OPTION_BITS_TABLE,
    .option_help = {[OPTION_COUNT] = "how many vGPUs; the default is 1"},
    .run = run_explain,
};
