/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/finding.h"
#include "base/array.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/say.h"

#include <string.h>

const char *const finding_severities[] = {
    [FINDING_OK] = "ok",           [FINDING_ACCEPTED] = "accepted", [FINDING_NOTE] = "note",
    [FINDING_WARNING] = "warning", [FINDING_ERROR] = "error",
};

void
findings_clear(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct finding *finding = &findings->items[i];

        for (size_t k = 0; k < finding->step_count; k++)
            free(finding->steps[k].text);
        free(finding->steps);
        free(finding->where);
        free(finding->text);
    }
    free(findings->items);
    *findings = (struct findings){0};
}

/* Prints it as compilers do. */
static void
print(const struct finding *finding, FILE *out)
{
    char number[16] = "";

    if (finding->line)
        snprintf(number, sizeof(number), ":%u", finding->line);
    say_line(out, "%s%s: %s%s", finding->where, number,
             finding->severity == FINDING_ERROR ? "" : "warning: ", finding->text);
}

void
findings_vadd(struct findings *findings, enum finding_severity severity, const char *word,
              const char *where, unsigned line, const char *format, va_list args)
{
    struct finding finding = {
        .word = word,
        .severity = severity,
        .where = where ? memory_copy(where) : NULL,
        .line = line,
        .text = memory_vformat(format, args),
    };

    printable_make(finding.text);
    ARRAY_ADD(findings->items, findings->count, finding);
    if (findings->out)
        print(&finding, findings->out);
}

void
findings_add(struct findings *findings, enum finding_severity severity, const char *word,
             const char *format, ...)
{
    va_list args;

    va_start(args, format);
    findings_vadd(findings, severity, word, NULL, 0, format, args);
    va_end(args);
}

void
findings_at(struct findings *findings, enum finding_severity severity, const char *word,
            const char *where, unsigned line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    findings_vadd(findings, severity, word, where, line, format, args);
    va_end(args);
}

void
findings_step(struct findings *findings, bool is_command, char *text)
{
    struct finding *last = &findings->items[findings->count - 1];
    struct finding_step step = {is_command, text};

    printable_make(text);
    ARRAY_ADD(last->steps, last->step_count, step);
}

void
findings_add_faults(struct findings *findings, const struct error *error, const char *stem)
{
    const char *at = error->text;

    while (at) {
        AUTO_FREE char *where = NULL;
        const char *end = at;
        char *text;

        do
            end = strstr(end + 1, "; ");
        while (end && strncmp(end + 2, stem, strlen(stem)));
        where = memory_copy_bytes(at, end ? (size_t)(end - at) : strlen(at));
        text = strstr(where, ": ");
        if (text)
            *text = '\0';
        findings_at(findings, FINDING_ERROR, "bad-configuration", where, 0, "%s",
                    text ? text + strlen(": ") : "");
        at = end ? end + 2 : NULL;
    }
}

size_t
findings_count(const struct findings *findings, size_t from, enum finding_severity least)
{
    size_t count = 0;

    for (size_t i = from; i < findings->count; i++)
        count += findings->items[i].severity >= least;
    return count;
}

/* Returns what comes before a step in prose. */
static const char *
separator(const struct finding *finding, size_t i)
{
    if (i == 0 || !finding->steps[i - 1].is_command)
        return " ";
    return strcmp(finding->steps[i].text, "or:") ? "; " : ", ";
}

static struct finding_line
join_steps(const struct finding *finding, bool are_commands)
{
    bool has_prose = ARRAY_HAS(finding->steps, finding->step_count, step, !step->is_command);
    struct finding_line ret = {""};
    struct text line = text_on(ret.text, sizeof(ret.text));

    for (size_t i = 0; has_prose != are_commands && i < finding->step_count; i++)
        text_join(&line, are_commands ? " && " : separator(finding, i), "%s",
                  finding->steps[i].text);
    return ret;
}

struct finding_line
finding_remedy(const struct finding *finding)
{
    return join_steps(finding, true);
}

struct finding_line
finding_advice(const struct finding *finding)
{
    return join_steps(finding, false);
}

static void
put_place(struct json *json, const struct finding *finding)
{
    const char *end = strrchr(finding->where, ':');
    size_t digits = end ? strspn(end + 1, "0123456789") : 0;
    bool has_line = digits && !end[1 + digits];
    AUTO_FREE char *file = memory_copy_bytes(
        finding->where, has_line ? (size_t)(end - finding->where) : strlen(finding->where));

    json_text(json, "file", file);
    if (finding->line || has_line)
        json_number(json, "line", finding->line ? finding->line : strtol(end + 1, NULL, 10));
}

void
findings_put(const struct findings *findings, struct json *json, const char *key,
             bool with_severity)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];

        json_open(json, NULL, '{');
        json_text(json, "word", finding->word);
        if (with_severity)
            json_text(json, "severity", finding_severities[finding->severity]);
        if (finding->where)
            put_place(json, finding);
        json_text(json, "text", finding->text);
        json_text(json, "remedy", finding_remedy(finding).text);
        json_text(json, "advice", finding_advice(finding).text);
        json_close(json, '}');
    }
    json_close(json, ']');
}
