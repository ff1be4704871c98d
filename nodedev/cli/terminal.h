/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * terminal: the screen that a command prints on, if it prints on one.
 *
 * Widths and colours are for people in front of a screen. In a pipe or a file there are none, so
 * that what a script reads does not depend on where it was started. Only this file knows escape
 * sequences: what names hold never reaches a terminal as one (say.h).
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <signal.h>
#include <stdio.h>
#include <termios.h>

#define TERMINAL_WIDTH 80 /* of what is laid out and goes to no screen */

struct terminal {
    int input, output; /* -1: none */
    bool is_screen;    /* the output is one */
    bool has_colour;
    unsigned width, height; /* in characters; 0: not known */
};

/* Looks at stdin and stdout. The arguments are what NO_COLOR and TERM say in the environment, or
 * NULL. */
struct terminal terminal_find(const char *no_color, const char *type);

/* How many characters a line can have. */
unsigned terminal_width(const struct terminal *terminal) CHECKED NONNULL;

/* How many bytes the first character of a text has, and how many columns it takes: 0, 1 or 2. The
 * text is not empty. What is no character of the locale (LC_CTYPE) is a byte, and takes one. */
size_t terminal_character(const char *text, unsigned *columns) NONNULL;

/* How many columns a text takes; and the text with what is over so many columns replaced by "..",
 * in place. */
unsigned terminal_columns(const char *text) CHECKED NONNULL;
void terminal_cut(char *text, unsigned columns) NONNULL;

/* Prints in a colour from here on, if there are colours. */
enum terminal_colour {
    TERMINAL_PLAIN,
    TERMINAL_BOLD,
    TERMINAL_DIM,
    TERMINAL_GREEN, /* these are of the background */
    TERMINAL_YELLOW,
    TERMINAL_BLUE,
    TERMINAL_MAGENTA,
    TERMINAL_RED,
};
void
terminal_paint(const struct terminal *terminal, enum terminal_colour colour, FILE *out) NONNULL;

/* Begins the last line of a screen anew: what was printed in it since its beginning is gone. */
void terminal_rewind(const struct terminal *terminal, FILE *out) NONNULL;

/*
 * A screen that one command has for itself, until terminal_release puts everything back. Signals
 * that would end the program are blocked meanwhile, and are what terminal_wait returns for.
 */
struct terminal_screen {
    struct terminal *terminal; /* measured anew when its size changes */
    FILE *out;
    struct termios before;
    sigset_t blocked_before;
    int signals; /* a signalfd; -1: the screen is not ours */
    bool is_input_changed;
};
#define TERMINAL_SCREEN_NONE                                                                       \
    {                                                                                              \
        .signals = -1                                                                              \
    }

int terminal_take(struct terminal_screen *screen, struct terminal *terminal, FILE *out,
                  struct error *error) CHECKED NONNULL;
void terminal_release(struct terminal_screen *screen) NONNULL;

/* Shows a text from the top; of what has more lines than the screen, the last line says how many
 * are missing. */
void terminal_show(const struct terminal_screen *screen, const char *text) NONNULL;

/* Waits until somebody wants to end it (q, ^C or a signal), to see it anew, or time is over. */
enum terminal_event { TERMINAL_TIME, TERMINAL_ANEW, TERMINAL_END };
enum terminal_event terminal_wait(struct terminal_screen *screen, const struct host *host,
                                  uint64_t nanoseconds) CHECKED NONNULL;
