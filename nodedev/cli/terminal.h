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
#include "base/host.h"

#include <signal.h>
#include <stdio.h>
#include <termios.h>

#define TERMINAL_WIDTH 80 /* width of text that is laid out and goes to no screen */

struct terminal {
    int input, output; /* -1: none */
    bool is_screen;    /* the output is a screen */
    bool has_colour;
    unsigned width, height; /* in characters; 0: not known */
};

/* Looks at stdin and stdout. The arguments are the environment's NO_COLOR and TERM, or NULL. */
struct terminal terminal_find(const char *no_color, const char *type);

/* Decides about colours as --color=WHEN says: "always", "never" or "auto". NULL: it was not typed.
 * Returns REFUSED (ERROR_USAGE) for another word. */
int terminal_choose_colour(struct terminal *terminal, const char *when, struct error *error) CHECKED
    __attribute__((nonnull(1, 3)));

/* Returns how many columns a line can have. */
unsigned terminal_width(const struct terminal *terminal) CHECKED NONNULL;

/* Returns the number of bytes of the first character of a text that is not empty. *columns gets its
 * width: 0, 1 or 2. A byte that is no character of the locale (LC_CTYPE) counts as a character of
 * width 1. */
size_t terminal_character(const char *text, unsigned *columns) NONNULL;

/* Returns the width of a text in columns; and cuts a text to a width in place, so that it ends in
 * "..". */
unsigned terminal_columns(const char *text) CHECKED NONNULL;
void terminal_cut(char *text, unsigned columns) NONNULL;

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

/*
 * A screen that one command has for itself. terminal_release restores the screen. Until then,
 * signals that would end the program are blocked, and make terminal_wait return.
 */
struct terminal_screen {
    struct terminal *terminal; /* its size is read again when it changes */
    FILE *out;
    struct termios before;
    sigset_t blocked_before;
    int signals;  /* a signalfd; -1: the command does not have the screen */
    size_t top;   /* the first line that is shown */
    size_t lines; /* of the text that was shown last */
    bool is_input_changed;
};
#define TERMINAL_SCREEN_NONE                                                                       \
    {                                                                                              \
        .signals = -1                                                                              \
    }

int terminal_take(struct terminal_screen *screen, struct terminal *terminal, FILE *out,
                  struct error *error) CHECKED NONNULL;
void terminal_release(struct terminal_screen *screen) NONNULL;

/* Shows a text. If the text has more lines than the screen, the last line says which are shown, and
 * keys scroll. */
void terminal_show(struct terminal_screen *screen, const char *text) NONNULL;

/* Waits until the user ends the command (q, ^C or a signal) or scrolls, until the text must be made
 * anew, or until the time is over. */
enum terminal_event { TERMINAL_TIME, TERMINAL_ANEW, TERMINAL_SCROLLED, TERMINAL_END };
enum terminal_event terminal_wait(struct terminal_screen *screen, const struct host *host,
                                  uint64_t nanoseconds) CHECKED NONNULL;
