/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * terminal: the screen on which a command prints, if there is one.
 *
 * Widths and colours are for people in front of a screen. Output to a pipe or a file has neither,
 * so a script reads the same wherever it was started. Only this file prints escape sequences: names
 * never get one to the terminal (say.h).
 */

#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

#define TERMINAL_WIDTH 80 /* width of text that is laid out and goes to no screen */

struct terminal {
    bool is_screen; /* the output is a screen */
    bool has_colour;
    unsigned width; /* in characters; 0: not known */
};

/* Looks at stdout. The arguments are the environment's NO_COLOR and TERM, or NULL. */
struct terminal terminal_find(const char *no_color, const char *type);

/* Decides about colours as --color=WHEN says: "always", "never" or "auto". NULL: it was not typed.
 * Returns REFUSED (ERROR_USAGE) for another word. */
int terminal_choose_colour(struct terminal *terminal, const char *when, struct error *error) CHECKED
    __attribute__((nonnull(1, 3)));

/* Returns how many columns a line can have. */
unsigned terminal_width(const struct terminal *terminal) CHECKED NONNULL;

/* Returns the width of a text in columns; and cuts a text to a width in place, so that it ends in
 * "..". */
unsigned terminal_columns(const char *text) CHECKED NONNULL;
void terminal_cut(char *text, unsigned columns) NONNULL;

/* Returns the number of bytes in the first line of a text. The line has at most `columns` columns,
 * and ends at a blank if there is one, else within a word. *next is the beginning of the second
 * line, or the end of the text. */
size_t terminal_break(const char *text, unsigned columns, const char **next) CHECKED NONNULL;

/* Prints in this colour from here on, if the terminal has colours. */
enum terminal_colour {
    TERMINAL_PLAIN,
    TERMINAL_BOLD,
    TERMINAL_DIM,
    TERMINAL_GREEN, /* these are colours of the background */
    TERMINAL_YELLOW,
    TERMINAL_BLUE,
    TERMINAL_MAGENTA,
    TERMINAL_RED,
};
/* The same as text, which begins the colour; "": the terminal has none. */
const char *
terminal_sequence(const struct terminal *terminal, enum terminal_colour colour) CHECKED NONNULL;
void
terminal_paint(const struct terminal *terminal, enum terminal_colour colour, FILE *out) NONNULL;

/* Begins the last line of the screen again, and removes its text. */
void terminal_rewind(const struct terminal *terminal, FILE *out) NONNULL;

/* Clears the screen, and shows a text in it. */
void terminal_show(const char *text, FILE *out) NONNULL;
