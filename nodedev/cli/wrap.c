/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/wrap.h"
#include "cli/say.h"

#include <stdbool.h>
#include <string.h>

static bool
is_continued(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t
wrap_line(const char *text, unsigned columns, const char **next)
{
    const char *end = text, *blank = NULL;
    unsigned used = 0;

    for (; *end && (used < columns || is_continued(*end)); end++) {
        used += !is_continued(*end);
        if (*end == ' ' && end > text)
            blank = end;
    }
    if (*end && *end != ' ' && blank)
        end = blank;
    *next = end + strspn(end, " ");
    return (size_t)(end - text);
}

#define LEAST_COLUMNS 20 /* of the text, however narrow the screen is */

void
wrap_beside(FILE *out, const char *head, unsigned columns, const char *text, unsigned width)
{
    unsigned room = width > columns + LEAST_COLUMNS ? width - columns : LEAST_COLUMNS;

    for (const char *next; *text; text = next) {
        size_t length = wrap_line(text, room, &next);

        say_line(out, "%-*s%.*s", (int)columns, head, (int)length, text);
        head = "";
    }
}
