/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/text.h"
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
        enum diagnosis_severity severity;
        enum terminal_colour colour;
    } rows[] = {{DIAGNOSIS_ERROR, TERMINAL_RED}, {DIAGNOSIS_WARNING, TERMINAL_YELLOW}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!strcmp(diagnosis_severity_words[rows[i].severity], severity))
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

/* A remedy that has commands alone is a command: a program may run it. Else prose belongs to it. */
static void
add_remedy(struct table *table, const struct diagnosis_finding *finding)
{
    char bytes[sizeof(finding->remedy.text)];
    struct text typed = text_on(bytes, sizeof(bytes));

    for (size_t i = 0; i < finding->part_count; i++) {
        const struct diagnosis_part *part = &finding->parts[i];

        if (!part->is_command) {
            table_set_text(table, REMEDY, "");
            table_set_text(table, ADVICE, finding->remedy.text);
            return;
        }
        text_join(&typed, " && ", "%.*s", (int)(part->end - part->begin),
                  finding->remedy.text + part->begin);
    }
    table_set_text(table, REMEDY, bytes);
    table_set_text(table, ADVICE, "");
}

static void
add_finding(struct table *table, const struct diagnosis_finding *finding)
{
    table_line(table);
    table_set(table, WORD, "%s", finding->check->name);
    table_set(table, SEVERITY, "%s", diagnosis_severity_words[finding->severity]);
    table_set(table, TEXT, "%s", finding->text.text);
    add_remedy(table, finding);
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
print_remedy(const struct diagnosis_finding *finding, unsigned width, FILE *out)
{
    const char *head = "What to do:";

    for (size_t i = 0; i < finding->part_count; i++, head = "") {
        const struct diagnosis_part *part = &finding->parts[i];
        const char *text = finding->remedy.text + part->begin;
        int length = (int)(part->end - part->begin);
        char prose[sizeof(finding->remedy.text) + 16];

        if (part->is_command) {
            print_prose(head, width, out);
            say_line(out, "%*s%.*s", COMMAND, "", length, text);
        } else {
            snprintf(prose, sizeof(prose), "%s%s%.*s", head, *head ? " " : "", length, text);
            print_prose(prose, width, out);
        }
    }
}

/* Prints a finding as a block of lines. Each command has a line of its own, to be typed as it
 * stands. On a terminal prose is broken into lines; commands are never broken. */
static void
print_block(const struct diagnosis_finding *finding, const struct terminal *terminal, FILE *out)
{
    /* Lines are broken only on a terminal. In other output, grep must find words that follow each
     * other. */
    unsigned width = terminal->is_screen ? terminal_width(terminal) : INT_MAX;
    const char *severity = diagnosis_severity_words[finding->severity];

    terminal_paint(terminal, severity_colour(severity), out);
    say_part(out, "%s: %s", severity, finding->check->name);
    terminal_paint(terminal, TERMINAL_PLAIN, out);
    say_end(out);
    print_prose(finding->text.text, width, out);
    print_remedy(finding, width, out);
}

static void
print_blocks(const struct command_call *call, const struct diagnosis *diagnosis)
{
    bool is_first = diagnosis->faults > 0;

    if (diagnosis->faults == 0)
        say_line(call->out, "no fault found");
    for (size_t i = 0; i < diagnosis->count; i++) {
        if (diagnosis->findings[i].severity == DIAGNOSIS_ACCEPTED)
            continue;
        if (!is_first)
            say_end(call->out);
        is_first = false;
        print_block(&diagnosis->findings[i], call->terminal, call->out);
    }
}

/* What the administrator knows already takes a line. */
static void
print_accepted(const struct command_call *call, const struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct diagnosis_finding *finding = &diagnosis->findings[i];

        if (finding->severity == DIAGNOSIS_ACCEPTED)
            say_line(call->out, "accepted: %s: %s", finding->check->name, finding->text.text);
    }
}

static void
print_text(const struct command_call *call, const struct diagnosis *diagnosis)
{
    print_blocks(call, diagnosis);
    print_accepted(call, diagnosis);
}

static enum command_status
run_doctor(const struct command_call *call, struct error *error)
{
    AUTO(diagnosis_clear) struct diagnosis diagnosis = DIAGNOSIS_NONE;
    AUTO(table_end) struct table table = {0};

    if (table_start(&table, "findings", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    if (diagnosis_make(call->host, call->uri, &diagnosis, error) < 0)
        return COMMAND_FAILED;
    for (size_t i = 0; i < diagnosis.count; i++)
        add_finding(&table, &diagnosis.findings[i]);
    if (!options_want_table(&call->options))
        print_text(call, &diagnosis);
    else if (table_print(&table, error) < 0)
        return COMMAND_FAILED;
    if (diagnosis.faults == 0)
        return COMMAND_DONE;
    error_refuse(error, ERROR_FAULTS, "%zu fault%s found", diagnosis.faults,
                 diagnosis.faults == 1 ? "" : "s");
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
