/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/report.h"
#include "base/memory.h"
#include "cli/say.h"

#include <string.h>

static void __attribute__((format(printf, 5, 0), nonnull(1, 2, 5)))
tell(struct report *report, const char *where, unsigned line, bool is_fault, const char *format,
     va_list args)
{
    AUTO_FREE char *text = memory_vformat(format, args);
    char number[16] = "";

    if (report->listen) {
        report->listen(report->data, is_fault, where, line, text);
        return;
    }
    if (line)
        snprintf(number, sizeof(number), ":%u", line);
    say_line(report->out, "%s%s: %s%s", where, number, is_fault ? "" : "warning: ", text);
}

void
report_fault(struct report *report, const char *where, unsigned line, const char *format, ...)
{
    va_list args;

    report->faults++;
    va_start(args, format);
    tell(report, where, line, true, format, args);
    va_end(args);
}

void
report_warning(struct report *report, const char *where, unsigned line, const char *format, ...)
{
    va_list args;

    report->warnings++;
    va_start(args, format);
    tell(report, where, line, false, format, args);
    va_end(args);
}

void
report_faults(struct report *report, const struct error *error, const char *stem)
{
    const char *at = error->text;

    while (at) {
        const char *end = at;

        do
            end = strstr(end + 1, "; ");
        while (end && strncmp(end + 2, stem, strlen(stem)));
        say_line(report->out, "%.*s", (int)(end ? (size_t)(end - at) : strlen(at)), at);
        report->faults++;
        at = end ? end + 2 : NULL;
    }
}
