/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/report.h"
#include "cli/say.h"

#include <string.h>

static void FORMAT(5, 0) print(struct report *report, const char *where, unsigned line,
                               const char *kind, const char *format, va_list args)
{
    AUTO_FREE char *text = NULL;
    char number[16] = "";

    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    if (line)
        snprintf(number, sizeof(number), ":%u", line);
    say_line(report->out, "%s%s: %s%s", where, number, kind, text ? text : "no memory");
}

static void
    FORMAT(3, 0) hear(struct report *report, const char *where, const char *format, va_list args)
{
    AUTO_FREE char *text = NULL;

    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    report->listen(report->data, where, text ? text : "no memory");
}

void
report_fault(struct report *report, const char *where, unsigned line, const char *format, ...)
{
    va_list args;

    report->faults++;
    va_start(args, format);
    if (report->listen)
        hear(report, where, format, args);
    else
        print(report, where, line, "", format, args);
    va_end(args);
}

void
report_warning(struct report *report, const char *where, unsigned line, const char *format, ...)
{
    va_list args;

    report->warnings++;
    if (report->listen)
        return;
    va_start(args, format);
    print(report, where, line, "warning: ", format, args);
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
