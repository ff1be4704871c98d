/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/memory.h"
#include "cli/say.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "doctor/diagnosis.h"

#include <limits.h>
#include <string.h>

enum column { WORD, SEVERITY, TEXT, REMEDY, ADVICE };

static enum terminal_colour
severity_colour(const char *severity)
{
    static const struct {
        enum finding_severity severity;
        enum terminal_colour colour;
    } rows[] = {{FINDING_ERROR, TERMINAL_RED}, {FINDING_WARNING, TERMINAL_YELLOW}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!strcmp(finding_severities[rows[i].severity], severity))
            return rows[i].colour;
    }
    return TERMINAL_BOLD;
}

static const struct table_column columns[] = {
    [WORD] = {.name = "WORD"},
    [SEVERITY] = {.name = "SEVERITY", .colour = severity_colour},
    [TEXT] = {.name = "TEXT", .wraps = true},
    [REMEDY] = {.name = "REMEDY", .wraps = true},
    [ADVICE] = {.name = "ADVICE", .wraps = true},
};

static void
add_finding(struct table *table, const struct finding *finding)
{
    table_line(table);
    table_set(table, WORD, "%s", finding->word);
    table_set(table, SEVERITY, "%s", finding_severities[finding->severity]);
    table_set(table, TEXT, "%s", finding->text);
    table_set_text(table, REMEDY, finding_remedy(finding).text);
    table_set_text(table, ADVICE, finding_advice(finding).text);
}

/* --- for people ------------------------------------------------------------------------------- */

#define PROSE   2 /* blanks in front */
#define COMMAND 6

static void
print_prose(const char *text, unsigned width, FILE *out)
{
    for (const char *next; *text; text = next) {
        size_t length = terminal_break(text, width - PROSE, &next);

        say_line(out, "%*s%.*s", PROSE, "", (int)length, text);
    }
}

static void
print_steps(const struct finding *finding, unsigned width, FILE *out)
{
    const char *head = "What to do:";

    for (size_t i = 0; i < finding->step_count; i++, head = "") {
        const struct finding_step *step = &finding->steps[i];

        if (step->is_command) {
            print_prose(head, width, out);
            say_line(out, "%*s%s", COMMAND, "", step->text);
        } else {
            AUTO_FREE char *prose = memory_format("%s%s%s", head, *head ? " " : "", step->text);

            print_prose(prose, width, out);
        }
    }
}

/* Prints a finding as a block of lines. Each command has a line of its own, to be typed as it
 * stands. On a terminal prose is broken into lines; commands are never broken. */
static void
print_block(const struct finding *finding, const struct terminal *terminal, FILE *out)
{
    /* Lines are broken only on a terminal. In other output, grep must find words that follow each
     * other. */
    unsigned width = terminal->is_screen ? terminal_width(terminal) : INT_MAX;
    const char *severity = finding_severities[finding->severity];

    terminal_paint(terminal, severity_colour(severity), out);
    say_part(out, "%s: %s", severity, finding->word);
    terminal_paint(terminal, TERMINAL_PLAIN, out);
    say_end(out);
    print_prose(finding->text, width, out);
    print_steps(finding, width, out);
}

/* What the administrator knows already comes last, and takes a line. */
static void
print_text(const struct command_call *call, const struct findings *found, size_t faults)
{
    bool is_first = faults > 0;

    if (faults == 0)
        say_line(call->out, "no fault found");
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].severity == FINDING_ACCEPTED)
            continue;
        if (!is_first)
            say_end(call->out);
        is_first = false;
        print_block(&found->items[i], call->terminal, call->out);
    }
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].severity == FINDING_ACCEPTED)
            say_line(call->out, "accepted: %s: %s", found->items[i].word, found->items[i].text);
    }
}

static enum command_status
run_doctor(const struct command_call *call, struct error *error)
{
    AUTO(diagnosis_clear) struct diagnosis diagnosis = DIAGNOSIS_NONE;
    AUTO(table_end) struct table table = {0};
    size_t faults;

    if (table_start(&table, "findings", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    if (diagnosis_make(call->host, call->uri, &diagnosis, error) < 0)
        return COMMAND_FAILED;
    faults = findings_count(&diagnosis.found, 0, FINDING_WARNING);
    for (size_t i = 0; i < diagnosis.found.count; i++)
        add_finding(&table, &diagnosis.found.items[i]);
    if (!options_want_table(&call->options))
        print_text(call, &diagnosis.found, faults);
    else if (table_print(&table, error) < 0)
        return COMMAND_FAILED;
    if (faults == 0)
        return COMMAND_DONE;
    error_refuse(error, ERROR_FAULTS, "%zu fault%s found", faults, faults == 1 ? "" : "s");
    return COMMAND_FAILED;
}

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "",
    .help = "look for what is wrong with this host, and say what to do about it",
    .example = "vgpuctl doctor",
    .page = "vgpuctl-repair",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_TABLE | OPTION_BIT(OPTION_COLOR),
    .run = run_doctor,
};
