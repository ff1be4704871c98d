/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/say.h"
#include "base/printable.h"
#include "cli/terminal.h"

#include <string.h>

#define LEAST_COLUMNS 20 /* least width of the text, even on a narrow screen */

/* Without memory this function prints "(no memory)", and does not end the program as base/memory.h
 * does. A message must not stop a command that undoes a change. */
void
say_vpart(FILE *out, const char *format, va_list args)
{
    AUTO_FREE char *text = NULL;

    if (vasprintf(&text, format, args) < 0) {
        text = NULL;
        fputs("(no memory)", out);
        return;
    }
    printable_make(text);
    fputs(text, out);
}

void
say_part(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_vpart(out, format, args);
    va_end(args);
}

void
say_end(FILE *out)
{
    fputc('\n', out);
}

void
say_line(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_vpart(out, format, args);
    va_end(args);
    say_end(out);
}

void
say_paragraph(FILE *out, const char *format, ...)
{
    va_list args;

    say_end(out);
    va_start(args, format);
    say_vpart(out, format, args);
    va_end(args);
    say_end(out);
}

void
say_beside(FILE *out, const char *head, unsigned columns, const char *text, unsigned width)
{
    unsigned room = width > columns + LEAST_COLUMNS ? width - columns : LEAST_COLUMNS;

    /* A head that leaves no blank before the text has a line of its own. */
    if (strlen(head) >= columns) {
        say_line(out, "%s", head);
        head = "";
    }
    for (const char *next; *text; text = next) {
        size_t length = terminal_break(text, room, &next);

        say_line(out, "%-*s%.*s", (int)columns, head, (int)length, text);
        head = "";
    }
}
