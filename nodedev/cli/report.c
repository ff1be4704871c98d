/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/report.h"
#include "base/memory.h"
#include "cli/say.h"

#include <string.h>

static void __attribute__((format(printf, 6, 0), nonnull(1, 2, 3, 6)))
tell(struct report *report, const char *word, const char *where, unsigned line, bool is_fault,
     const char *format, va_list args)
{
    AUTO_FREE char *text = memory_vformat(format, args);

    if (report->listen)
        report->listen(report->data, is_fault, word, where, line, text);
    else
        report_print(report->out, is_fault, where, line, text);
}

void
report_print(FILE *out, bool is_fault, const char *where, unsigned line, const char *text)
{
    char number[16] = "";

    if (line)
        snprintf(number, sizeof(number), ":%u", line);
    say_line(out, "%s%s: %s%s", where, number, is_fault ? "" : "warning: ", text);
}

void
report_fault(struct report *report, const char *word, const char *where, unsigned line,
             const char *format, ...)
{
    va_list args;

    report->faults++;
    va_start(args, format);
    tell(report, word, where, line, true, format, args);
    va_end(args);
}

void
report_warning(struct report *report, const char *word, const char *where, unsigned line,
               const char *format, ...)
{
    va_list args;

    report->warnings++;
    va_start(args, format);
    tell(report, word, where, line, false, format, args);
    va_end(args);
}

void
report_faults(struct report *report, const struct error *error, const char *stem)
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
        report_fault(report, "bad-configuration", where, 0, "%s", text ? text + strlen(": ") : "");
        at = end ? end + 2 : NULL;
    }
}
