/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/vf-selection.h"
#include "base/memory.h"
#include "cli/end-signals.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/table.h"
#include "commands/capture.h"
#include "commands/commands.h"
#include "device/vgpu.h"
#include "libvirt/references.h"
#include "prove/proof.h"
#include "view/gpu-view.h"

#include <inttypes.h>

#define BAR 20 /* characters */

/* --- progress --------------------------------------------------------------------------------- */

/* The time that is left is reckoned from the steps so far. */
static void
show_progress(const struct command_call *call, const struct proof *proof)
{
    const unsigned total = proof->steps, step = proof->seen.found.step;
    const unsigned done = step < total ? step : total;
    const uint64_t took = host_uptime(proof->bench.host) - proof->began;
    char bar[BAR + 1] = "";

    if (!call->terminal->is_screen || total == 0)
        return;
    for (unsigned i = 0; i < BAR; i++)
        bar[i] = i < done * BAR / total ? '#' : '.';
    terminal_rewind(call->terminal, call->out);
    say_part(call->out, "%s: [%s] %u %%", proof->bench.gpu.text, bar, done * 100 / total);
    if (done)
        say_part(call->out, ", about %" PRIu64 " s left", took * (total - done) / done / 1000);
    fflush(call->out);
}

static bool
goes_on(const struct proof *proof, const void *data)
{
    show_progress(data, proof);
    return !end_signals_are_pending();
}

/* --- what may be tried ------------------------------------------------------------------------ */

/* Virtual functions that a domain names, running or not. With --root there is no libvirt, and
 * nothing is written: then no function counts as named. */
static int
list_named(const struct command_call *call, struct names *ret, struct error *error)
{
    AUTO(references_clear) struct references owners = {.statedir = STATEDIR_CLOSED};
    static const struct name nobody = {LEASE_NOBODY};
    int rc;

    if (!call->uri)
        return 0;
    rc = references_ask(call->host, call->uri, &owners, error);
    if (rc == 0)
        vf_selection_add_named(&owners.domains, &nobody, ret);
    else
        error_add(error, "only libvirt knows which virtual functions domains name");
    return rc;
}

/* A GPU without parents lists no types; a pool's functions are what they are. */
static int
check_kind(const struct inventory_gpu *gpu, bool *has_functions, struct error *error)
{
    const char *name = gpu->name.text;
    const struct inventory_parent *last =
        gpu->parent_count ? gpu->parents[gpu->parent_count - 1] : NULL;

    if (!last)
        return error_set(error, -ENODEV, "the driver of %s makes no vGPUs", name);
    if (last->is_separate)
        return error_refuse(error, ERROR_USAGE,
                            "there is nothing to prove on %s: the vGPUs of a pool are virtual "
                            "functions as they are, and nothing is written to the driver",
                            name);
    *has_functions = last->interface->hostdev == REQUEST_PCI;
    return 0;
}

/* --- what is told ----------------------------------------------------------------------------- */

static const char *
type_name(const struct proof *proof, size_t type)
{
    return proof->course.types[type]->name;
}

static void
print_course(const struct command_call *call, const struct proof *proof)
{
    const struct bounds steps = course_steps(&proof->course);

    say_part(call->out, "%s: about %u", proof->bench.gpu.text, steps.least);
    if (steps.most == BOUNDS_ANY)
        say_part(call->out, " or more");
    else if (steps.most > steps.least)
        say_part(call->out, " to %u", steps.most);
    say_part(call->out, " steps would try");
    for (size_t i = 0; i < proof->course.count; i++)
        say_part(call->out, "%s %s", i ? "," : "", type_name(proof, i));
    say_end(call->out);
}

enum course_column { ACTION, TYPE, BESIDE, STEPS, STEPS_AT_MOST };

static const struct table_column course_columns[] = {
    [ACTION] = {.name = "ACTION"},
    [TYPE] = {.name = "TYPE"},
    [BESIDE] = {.name = "BESIDE"},
    [STEPS] = {.name = "STEPS", .kind = TABLE_NUMBER},
    [STEPS_AT_MOST] = {.name = "STEPS-AT-MOST", .kind = TABLE_NUMBER},
};

static int
print_course_table(const struct proof *proof, struct table *table, struct error *error)
{
    for (size_t i = 0; i < proof->course.part_count; i++) {
        const struct course_part *part = &proof->course.parts[i];
        const bool is_fill = part->beside == COURSE_ALONE;

        table_line(table);
        table_set(table, ACTION, "%s", is_fill ? "fill" : "pair");
        table_set(table, TYPE, "%s", type_name(proof, part->type));
        table_set_text(table, BESIDE, is_fill ? "" : type_name(proof, part->beside));
        table_set_figure(table, STEPS, bounds_figure(&part->steps));
        table_set_figure(table, STEPS_AT_MOST, bounds_most(&part->steps));
    }
    return table_print(table, error);
}

/* rc: how the trial ended. Only a trial that came to its end proves anything. */
static void
print_sentences(const struct proof *proof, int rc, FILE *out)
{
    const uint64_t took = host_uptime(proof->bench.host) - proof->began;
    const size_t count = proof->seen.found.count;

    for (size_t i = 0; i < count; i++) {
        const struct discrepancy *found = &proof->seen.found.items[i];

        say_part(out, "%s", found->text);
        if (found->times > 1)
            say_part(out, " (first at step %u, and at %u others)", found->step, found->times - 1);
        say_end(out);
    }
    say_part(out, "%s: %u steps in %" PRIu64 ".%" PRIu64 " s: ", proof->bench.gpu.text,
             proof->seen.found.step, took / 1000, took % 1000 / 100);
    if (count)
        say_part(out, "%zu prediction%s failed%s", count, count == 1 ? "" : "s",
                 rc < 0 ? ", and not all was tried" : "");
    else if (rc < 0)
        say_part(out, "not all was tried; no prediction has failed so far");
    else
        say_part(out, "the GPU behaves as predicted");
    say_end(out);
}

enum column { WORD, SUBJECT, PREDICTED, SEEN, STEP, TIMES, TEXT };

static const struct table_column columns[] = {
    [WORD] = {.name = "WORD"},
    [SUBJECT] = {.name = "SUBJECT"},
    [PREDICTED] = {.name = "PREDICTED"},
    [SEEN] = {.name = "SEEN"},
    [STEP] = {.name = "STEP", .kind = TABLE_NUMBER},
    [TIMES] = {.name = "TIMES", .kind = TABLE_NUMBER},
    [TEXT] = {.name = "TEXT", .wraps = true},
};

static int
print_table(const struct discrepancies *found, struct table *table, struct error *error)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct discrepancy *item = &found->items[i];

        table_line(table);
        table_set(table, WORD, "%s", discrepancy_words[item->kind]);
        table_set(table, SUBJECT, "%s", item->subject);
        table_set(table, PREDICTED, "%s", item->predicted);
        table_set(table, SEEN, "%s", item->seen);
        table_set(table, STEP, "%u", item->step);
        table_set(table, TIMES, "%u", item->times);
        table_set(table, TEXT, "%s", item->text);
    }
    return table_print(table, error);
}

/* --- the command ------------------------------------------------------------------------------ */

/* 0, or 1 if predictions failed. */
static int
prove(const struct command_call *call, struct proof *proof, struct table *table,
      struct error *error)
{
    int rc = proof_run(proof, error), printed = 0;
    struct error failure;

    print_sentences(proof, rc, proof->record);
    terminal_rewind(call->terminal, call->out);
    if (options_want_table(&call->options))
        printed = print_table(&proof->seen.found, table, &failure);
    else
        print_sentences(proof, rc, call->out);
    if (printed < 0 && rc == 0) {
        *error = failure;
        rc = printed;
    }
    return rc < 0 ? rc : proof->seen.found.count > 0;
}

/* The GPU as it was found, or -errno. */
static int
begin(const struct command_call *call, struct proof *proof, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(names_clear) struct names named = {0};
    const bool all = option_given(&call->options, OPTION_ALL);
    bool has_functions = false;
    const struct inventory_gpu *gpu;
    int rc = snapshot_take(&snapshot, call->host, &inventory_all_types, error);

    if (rc == 0)
        rc = gpu_view_find(&snapshot, call->host, call->arguments[0], &gpu, error);
    if (rc == 0)
        rc = check_kind(gpu, &has_functions, error);
    if (rc == 0 && has_functions)
        rc = list_named(call, &named, error);
    if (rc < 0)
        return rc;
    proof->bench.gpu = gpu->name;
    if (option_given(&call->options, OPTION_DRY_RUN)) {
        proof->bench.host = call->host;
    } else {
        rc = workbench_take(call->host, &gpu->name, &snapshot, &proof->bench, error);
        if (rc == 0)
            rc = workbench_check_users(&proof->bench, error);
    }
    proof->policy = snapshot.policy;
    snapshot.policy = (struct policy){0};
    return rc < 0 ? rc : proof_begin(proof, &named, all, error);
}

static enum command_status
conclude(const struct command_call *call, const struct proof *proof, const char *record,
         const struct output *output, int rc, struct error *error)
{
    struct error failure;

    if (output->path && capture_host(call, output, record, &failure) < 0 && rc >= 0) {
        *error = failure;
        return COMMAND_FAILED;
    }
    if (rc < 0)
        return command_ended(rc, error);
    if (rc == 0)
        return COMMAND_DONE;
    error_refuse(error, ERROR_FAULTS, "%zu of the predictions about %s failed",
                 proof->seen.found.count, proof->bench.gpu.text);
    if (!output->path)
        error_advise(error, "please send us a capture, which --capture FILE writes");
    return COMMAND_FAILED;
}

/* Tells what would be tried. */
static enum command_status
run_dry(const struct command_call *call, struct error *error)
{
    AUTO(proof_clear) struct proof proof = {.bench = WORKBENCH_NONE};
    AUTO(table_end) struct table table = {0};
    int rc;

    if (table_start(&table, "steps", course_columns, COUNT(course_columns), call, error) < 0)
        return COMMAND_USAGE;
    rc = begin(call, &proof, error);
    if (rc == 0 && options_want_table(&call->options))
        rc = print_course_table(&proof, &table, error);
    else if (rc == 0)
        print_course(call, &proof);
    return command_ended(rc, error);
}

static enum command_status
run_prove(const struct command_call *call, struct error *error)
{
    AUTO(proof_clear) struct proof proof = {.bench = WORKBENCH_NONE};
    AUTO(table_end) struct table table = {0};
    AUTO(output_close) struct output output = OUTPUT_NONE;
    AUTO_FREE char *record = NULL;
    size_t length = 0;
    int rc;

    if (option_given(&call->options, OPTION_DRY_RUN))
        return run_dry(call, error);
    if (option_given(&call->options, OPTION_ROOT))
        return command_ended(error_refuse(error, ERROR_USAGE,
                                          "of another machine prove only tells what it would try: "
                                          "add --dry-run"),
                             error);
    if (table_start(&table, "discrepancies", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    if (option_given(&call->options, OPTION_CAPTURE) &&
        output_open(call->options.values[OPTION_CAPTURE], &output, error) < 0)
        return COMMAND_FAILED;
    proof.goes_on = goes_on;
    proof.data = call;
    end_signals_block(NULL);
    rc = begin(call, &proof, error);
    if (rc < 0)
        return command_ended(rc, error);
    proof.record = memory_stream(&record, &length);
    rc = prove(call, &proof, &table, error);
    memory_stream_end(proof.record, &record);
    workbench_close(&proof.bench);
    return conclude(call, &proof, record, &output, rc, error);
}

const struct command command_prove = {
    .name = "prove",
    .arguments = "GPU",
    .help = "make and remove vGPUs on an idle GPU, and compare the results with predictions",
    .example = "vgpuctl prove 3b:00.0 --dry-run",
    .page = "vgpuctl-gpu",
    .least = 1,
    .most = 1,
    .options = OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_DRY_RUN) | OPTION_BIT(OPTION_CAPTURE) |
               OPTION_BIT(OPTION_NAMES) | OPTION_BIT(OPTION_ROOT) | OPTION_BITS_TABLE,
    .option_help = {[OPTION_ALL] = "try every type, not one of each size"},
    .run = run_prove,
};
