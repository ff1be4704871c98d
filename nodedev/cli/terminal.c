/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/terminal.h"

#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define LEAST_WIDTH 60 /* on a narrower screen, the terminal breaks the lines */

struct terminal
terminal_find(const char *no_color, const char *type)
{
    struct terminal found = {.is_screen = isatty(STDOUT_FILENO)};
    struct winsize size;

    if (!found.is_screen)
        return found;
    found.has_colour = !(no_color && *no_color) && type && strcmp(type, "dumb") != 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        found.width = size.ws_col;
    return found;
}

int
terminal_choose_colour(struct terminal *terminal, const char *when, struct error *error)
{
    if (!when || !strcmp(when, "auto"))
        return 0;
    terminal->has_colour = !strcmp(when, "always");
    if (terminal->has_colour || !strcmp(when, "never"))
        return 0;
    return error_refuse(error, ERROR_USAGE, "--color %s is none of always, never, auto", when);
}

unsigned
terminal_width(const struct terminal *terminal)
{
    unsigned width = terminal->is_screen && terminal->width ? terminal->width : TERMINAL_WIDTH;

    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

/* Returns the number of bytes of the first character of a text that is not empty. *columns gets its
 * width: 0, 1 or 2. A byte that is no character of the locale (LC_CTYPE) counts as a character of
 * width 1. */
static size_t
read_character(const char *text, unsigned *columns)
{
    mbstate_t state = {0};
    wchar_t character;
    size_t length = mbrtowc(&character, text, MB_LEN_MAX, &state);
    int width = length > 0 && length <= MB_LEN_MAX ? wcwidth(character) : -1;

    *columns = width >= 0 ? (unsigned)width : 1;
    return width >= 0 ? length : 1;
}

unsigned
terminal_columns(const char *text)
{
    unsigned sum = 0, columns;

    for (; *text; sum += columns)
        text += read_character(text, &columns);
    return sum;
}

void
terminal_cut(char *text, unsigned columns)
{
    char *end = text, *next = text;
    unsigned kept = 0;

    if (terminal_columns(text) <= columns || columns < 2)
        return;
    while (kept <= columns - 2) {
        unsigned more;

        end = next;
        next += read_character(next, &more);
        kept += more;
    }
    /* At least three columns are cut off, and each has at least one byte. */
    memcpy(end, "..", sizeof(".."));
}

size_t
terminal_break(const char *text, unsigned columns, const char **next)
{
    const char *end = text, *blank = NULL;
    unsigned used = 0;

    while (*end) {
        unsigned more;
        size_t length = read_character(end, &more);

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

const char *
terminal_sequence(const struct terminal *terminal, enum terminal_colour colour)
{
    static const char *const codes[] = {
        [TERMINAL_PLAIN] = "\033[0m",       [TERMINAL_BOLD] = "\033[1m",
        [TERMINAL_DIM] = "\033[2m",         [TERMINAL_GREEN] = "\033[30;42m",
        [TERMINAL_YELLOW] = "\033[30;43m",  [TERMINAL_BLUE] = "\033[37;44m",
        [TERMINAL_MAGENTA] = "\033[37;45m", [TERMINAL_RED] = "\033[37;41m",
    };

    return terminal->has_colour ? codes[colour] : "";
}

void
terminal_paint(const struct terminal *terminal, enum terminal_colour colour, FILE *out)
{
    fputs(terminal_sequence(terminal, colour), out);
}

void
terminal_rewind(const struct terminal *terminal, FILE *out)
{
    if (terminal->is_screen)
        fputs("\r\033[2K", out);
}

void
terminal_show(const char *text, FILE *out)
{
    fputs("\033[H\033[2J", out);
    fputs(text, out);
}
