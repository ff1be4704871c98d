/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/drain.h"
#include "base/memory.h"
#include "base/shell-word.h"
#include "base/text.h"
#include "cli/end-signals.h"
#include "cli/output.h"
#include "cli/reply.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "evacuate/evacuation.h"
#include "evacuate/evacuation-judgment.h"
#include "libvirt/connection.h"
#include "view/gpu-view.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE 120 /* seconds that a guest may take to shut down, without --timeout */

/* --- what was typed --------------------------------------------------------------------------- */

static int
check_usage(const struct command_call *call, struct error *error)
{
    const struct options *options = &call->options;
    const bool is_back = option_given(options, OPTION_BACK);

    if (!is_back && call->count == 0)
        return error_refuse(error, ERROR_USAGE, "which GPU is to be emptied? Name it");
    if (is_back && (option_given(options, OPTION_PLAN) || option_given(options, OPTION_REASON) ||
                    options->uri_count))
        return error_refuse(error, ERROR_USAGE,
                            "--back takes no --plan, no --reason and no other host");
    return 0;
}

/* The GPUs that were named. */
static int
find_gpus(const struct command_call *call, struct names *ret, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take_to_show(&snapshot, call->host, &inventory_no_types, error);

    for (size_t i = 0; i < call->count && rc == 0; i++) {
        const struct inventory_gpu *gpu;

        rc = gpu_view_find(&snapshot, call->host, call->arguments[i], &gpu, error);
        if (rc == 0)
            names_append_new(ret, &gpu->name);
    }
    return rc;
}

/* A name with a slip in it must not let its guest be moved. */
static int
check_excepted(const struct evacuation_plan *plan, struct error *error)
{
    const struct options *options = &plan->call->options;

    for (size_t i = 0; i < options->excepted_count; i++) {
        const char *word = options->excepted[i];
        bool is_found = false;

        for (size_t k = 0; k < plan->count && !is_found; k++) {
            const struct evacuation_move *move = &plan->items[k].move;

            is_found = !strcmp(word, move->name) || !strcmp(word, move->domain.text);
        }
        if (!is_found)
            return error_refuse(error, ERROR_NOT_FOUND,
                                "--except %s: no guest of that name is there", word);
    }
    return 0;
}

/* --- the plan --------------------------------------------------------------------------------- */

static int
drain_gpus(const struct evacuation_plan *plan, struct error *error)
{
    const char *reason = plan->call->options.values[OPTION_REASON];
    struct drained_note note = {.by_evacuation = true};
    int rc = 0;

    snprintf(note.reason, sizeof(note.reason), "%s", reason ? reason : "");
    for (size_t i = 0; i < plan->gpus.count && rc == 0; i++)
        rc = drain_gpu(plan->call->host, &plan->gpus.items[i], &note, error);
    return rc;
}

static int
undrain_gpus(const struct evacuation_plan *plan, struct error *error)
{
    AUTO(names_clear) struct names drained = {0};
    int rc = 0;

    evacuation_plan_find_drained(plan, &drained);
    for (size_t i = 0; i < drained.count && rc >= 0; i++)
        rc = drained_remove(plan->call->host, &drained.items[i], error);
    return rc < 0 ? rc : 0;
}

static int
read_plan(const struct options *options, struct evacuation_moves *ret, struct error *error)
{
    AUTO_FREE char *text = NULL;
    int rc = options_read_file(options, OPTION_PLAN, &text, error);

    return rc < 0 ? rc : evacuation_moves_parse(text, options->values[OPTION_PLAN], ret, error);
}

static int
write_plan(const struct evacuation_plan *plan, const char *file, struct error *error)
{
    AUTO(output_close) struct output output = OUTPUT_NONE;
    AUTO_FREE struct evacuation_move *moves = memory_zeroed(plan->count, sizeof(*moves));
    AUTO_FREE char *text = NULL;
    size_t count = 0;
    int rc;

    for (size_t i = 0; i < plan->count; i++) {
        if (evacuee_is_guest(&plan->items[i]))
            moves[count++] = plan->items[i].move;
    }
    text = evacuation_moves_format(moves, count);
    rc = output_open(file, &output, error);
    return rc < 0 ? rc : output_write(&output, text, strlen(text), 0644, error);
}

/* Says who would leave, and how. */
static int
foresee(struct evacuation_plan *plan, struct error *error)
{
    const char *file = plan->call->options.values[OPTION_PLAN];
    int rc = evacuation_plan_look(plan, error);

    if (rc == 0)
        rc = check_excepted(plan, error);
    if (rc < 0)
        return rc;
    evacuation_judgment_make(plan);
    return file ? write_plan(plan, file, error) : 0;
}

/* --- what is shown ---------------------------------------------------------------------------- */

enum column { DOMAIN, DOMAIN_UUID, FROM, HOW, TO, MEMORY, PAUSE, RESULT, REASON };

static const struct table_column columns[] = {
    [DOMAIN] = {.name = "DOMAIN", .cuts = true},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID", .extra = true},
    [FROM] = {.name = "FROM", .drop = 2},
    [HOW] = {.name = "HOW"},
    [TO] = {.name = "TO", .drop = 3},
    [MEMORY] = {.name = "FRAMEBUFFER", .kind = TABLE_NUMBER, .drop = 1},
    [PAUSE] = {.name = "PAUSE", .kind = TABLE_NUMBER, .drop = 4},
    [RESULT] = {.name = "RESULT"},
    [REASON] = {.name = "REASON", .wraps = true},
};

/* The GPUs, or the host if the guest is on another one. */
static void
set_place(struct table *table, enum column column, const struct names *names, const char *host)
{
    char bytes[256];
    struct text text = text_on(bytes, sizeof(bytes));

    for (size_t i = 0; i < names->count; i++)
        text_join(&text, ",", "%s", names->items[i].text);
    table_set_text(table, column, host ? host : bytes);
}

static void
add_line(struct table *table, const struct evacuation_plan *plan, const struct evacuee *item)
{
    const struct evacuation_move *move = &item->move;

    table_line(table);
    table_set_text(table, DOMAIN, move->name);
    table_set_text(table, DOMAIN_UUID, move->domain.text);
    set_place(table, FROM, &move->from, plan->is_back ? move->host : NULL);
    table_set_text(table, HOW, item->is_settled ? "" : evacuation_ways[move->way]);
    set_place(table, TO, &move->to, plan->is_back ? NULL : move->host);
    table_set_known(table, MEMORY, item->framebuffer);
    table_set_figure(table, PAUSE,
                     item->pause && !evacuee_has_moved(item) ? (int64_t)item->pause : -1);
    table_set_text(table, RESULT, item->result);
    table_set_text(table, REASON, item->why.text);
}

static int
show(const struct evacuation_plan *plan, struct table *table, struct error *error)
{
    for (size_t i = 0; i < plan->count; i++)
        add_line(table, plan, &plan->items[i]);
    if (plan->count == 0)
        table_say(table, plan->is_back ? "nobody is away" : "nothing is there");
    return table_print(table, error);
}

/* A program reads a line for each step, because an evacuation may take an hour. People see the
 * progress of the guest in hand (libvirt/long-call.h). */
static void
print_step(const struct evacuation_plan *plan)
{
    AUTO(reply_clear) struct reply reply = {.out = plan->call->reply->out, .is_line = true};
    struct command_call aside = *plan->call;
    AUTO(table_end) struct table table = {0};
    struct error error;

    if (!reply_is_wanted(plan->call))
        return;
    aside.reply = &reply;
    if (table_start(&table, "evacuation", columns, COUNT(columns), &aside, &error) < 0 ||
        show(plan, &table, &error) < 0)
        return;
    reply_print(&aside, NULL);
}

static enum command_status
conclude(const struct evacuation_plan *plan, struct error *error)
{
    size_t failed = 0, stayed = 0;

    for (size_t i = 0; i < plan->count; i++) {
        const struct evacuee *item = &plan->items[i];
        const bool stays = item->move.way == EVACUATION_STAYS;

        if (item->is_settled || item->move.way == EVACUATION_REAP)
            continue;
        stayed += stays;
        failed += !stays && *item->result && !evacuee_has_moved(item);
    }
    if (failed) {
        error_set(error, -EIO, "guests that could not be moved: %zu of %zu", failed, plan->count);
        return COMMAND_FAILED;
    }
    if (!stayed)
        return COMMAND_DONE;
    error_set(error, -EBUSY, "what stays: %zu of %zu", stayed, plan->count);
    return COMMAND_BUSY;
}

static void
warn_of_domain(const struct evacuation_plan *plan, const struct domain *domain)
{
    for (size_t i = 0; i < domain->config.hostdev_count; i++) {
        const struct name *source = &domain->config.hostdevs[i].source;
        const struct inventory_parent *parent =
            inventory_find_parent(&plan->snapshot.inventory, source);

        if (!parent || !names_has(&plan->gpus, &parent->gpu->name))
            continue;
        reply_warn(plan->call, ERROR_IN_USE,
                   "%s is off, and its definition names %s of %s: it does not start while that is "
                   "drained ('vgpuctl attach %s --renew' names another)",
                   domain->name, source->text, parent->gpu->name.text,
                   shell_word(domain->name).text);
    }
}

/* Warns of guests that are off, and whose definitions name a virtual function of these GPUs. They
 * do not start while the GPUs are drained. */
static void
warn_of_definitions(const struct evacuation_plan *plan)
{
    AUTO(domains_clear) struct domains domains = {0};
    struct error ignored;

    if (!plan->connection || connection_domains(plan->connection, &domains, &ignored) < 0)
        return;
    for (size_t i = 0; i < domains.count; i++) {
        if (!domains.items[i].is_running)
            warn_of_domain(plan, &domains.items[i]);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

/* What was typed is checked before any GPU is drained. */
static int
check_words(const struct evacuation_plan *plan, struct evacuation_moves *moves, unsigned *patience,
            struct error *error)
{
    AUTO(evacuation_plan_clear)
    struct evacuation_plan now = {.call = plan->call, .is_back = plan->is_back};
    const struct options *options = &plan->call->options;
    int rc = options_number(options, OPTION_TIMEOUT, 1, 3600, PATIENCE, patience, error);

    if (rc == 0 && option_given(options, OPTION_PLAN))
        rc = read_plan(options, moves, error);
    if (rc < 0 || options->excepted_count == 0)
        return rc;
    names_copy(&plan->gpus, &now.gpus);
    rc = evacuation_plan_look(&now, error);
    return rc < 0 ? rc : check_excepted(&now, error);
}

static int
carry_out(struct evacuation_plan *plan, int *lock, struct error *error)
{
    AUTO(evacuation_moves_clear) struct evacuation_moves moves = {0};
    const struct command_call *call = plan->call;
    unsigned patience;
    int rc = check_words(plan, &moves, &patience, error);

    if (rc == 0)
        rc = evacuation_lock(call->host, lock, error);
    if (rc < 0)
        return rc;
    end_signals_block(NULL);
    rc = plan->is_back ? undrain_gpus(plan, error) : drain_gpus(plan, error);
    if (rc == 0)
        rc = evacuation_plan_look(plan, error);
    if (rc < 0)
        return rc;
    if (option_given(&call->options, OPTION_PLAN))
        evacuation_plan_follow(plan, &moves);
    else
        evacuation_judgment_make(plan);
    evacuation_run(plan, patience, print_step);
    return 0;
}

static enum command_status
run_evacuate(const struct command_call *call, struct error *error)
{
    AUTO(evacuation_plan_clear)
    struct evacuation_plan plan = {.call = call,
                                   .is_back = option_given(&call->options, OPTION_BACK)};
    AUTO(table_end) struct table table = {0};
    const bool is_dry = option_given(&call->options, OPTION_DRY_RUN);
    AUTO_CLOSE int lock = -1;
    int rc;

    call->reply->is_line = !is_dry;
    if (table_start(&table, "evacuation", columns, COUNT(columns), call, error) < 0 ||
        check_usage(call, error) < 0)
        return COMMAND_USAGE;
    rc = find_gpus(call, &plan.gpus, error);
    if (rc == 0)
        rc = is_dry ? foresee(&plan, error) : carry_out(&plan, &lock, error);
    if (rc < 0)
        return command_ended(rc, error);
    if (show(&plan, &table, error) < 0)
        return COMMAND_FAILED;
    if (!plan.is_back)
        warn_of_definitions(&plan);
    return conclude(&plan, error);
}

const struct command command_evacuate = {
    .name = "evacuate",
    .arguments = "[GPU...]",
    .help = "drain GPUs, and move their running guests to other GPUs, or back",
    .example = "vgpuctl evacuate 3b:00.0 --dry-run",
    .page = "vgpuctl-migrate",
    .least = 0,
    .most = 64,
    .changes = COMMAND_CHANGES_GPUS,
    .options = OPTION_BIT(OPTION_DRY_RUN) | OPTION_BIT(OPTION_STOP) | OPTION_BIT(OPTION_EXCEPT) |
               OPTION_BIT(OPTION_REASON) | OPTION_BIT(OPTION_PLAN) | OPTION_BIT(OPTION_BACK) |
               OPTION_BITS_REMOTE | OPTION_BITS_TABLE | OPTION_BIT(OPTION_COLOR),
    .option_help = {[OPTION_TIMEOUT] =
                        "how long a host may take to answer, or a guest to shut down"},
    .run = run_evacuate,
};
