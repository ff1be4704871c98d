/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/wrap.h"
#include "cli/say.h"
#include "cli/terminal.h"

#include <stdbool.h>
#include <string.h>

size_t
wrap_line(const char *text, unsigned columns, const char **next)
{
    const char *end = text, *blank = NULL;
    unsigned used = 0;

    while (*end) {
        unsigned more;
        size_t length = terminal_character(end, &more);

        /* A character that is wider than the line gets a line of its own. */
        if (used + more > columns && end > text)
            break;
        if (*end == ' ' && end > text)
            blank = end;
        used += more;
        end += length;
    }
    if (*end && *end != ' ' && blank)
        end = blank;
    *next = end + strspn(end, " ");
    return (size_t)(end - text);
}

#define LEAST_COLUMNS 20 /* least width of the text, even on a narrow screen */

void
wrap_beside(FILE *out, const char *head, unsigned columns, const char *text, unsigned width)
{
    unsigned room = width > columns + LEAST_COLUMNS ? width - columns : LEAST_COLUMNS;

    /* A head that leaves no blank before the text has a line of its own. */
    if (strlen(head) >= columns) {
        say_line(out, "%s", head);
        head = "";
    }
    for (const char *next; *text; text = next) {
        size_t length = wrap_line(text, room, &next);

        say_line(out, "%-*s%.*s", (int)columns, head, (int)length, text);
        head = "";
    }
}
