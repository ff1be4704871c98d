/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * error: one failure, as the line that a person will read.
 *
 * Leaves return -errno. The first function that knows the noun fills the caller's struct error;
 * those above may put what they were doing in front of it; main prints it, once.
 *
 * It always holds one printable line of UTF-8: whatever else an untrusted name brings along (line
 * feeds, escape sequences) is replaced by '?', and what does not fit ends in "...".
 */

#pragma once

#include "base/cleanup.h"

#include <stdarg.h>

/* What kind of answer it is, for exit statuses and counters. */
enum error_class {
    ERROR_FAILED,    /* something went wrong: the code says what */
    ERROR_NO_ROOM,   /* refused: there is no room for it now, and another day there may be */
    ERROR_NEVER,     /* refused: this host cannot give it, however empty it is */
    ERROR_TAKEN,     /* refused: what it names is somebody else's, or something else */
    ERROR_UNDECIDED, /* refused: it takes too long to tell */
};

struct error {
    char text[2048];
    enum error_class class;
};

/* What a function returns that refuses: the class says of which kind. */
#define REFUSED (-ECANCELED)

/* Makes the text and returns code (a negative errno), so that "return error_set(...)" reads well.
 */
int error_set(struct error *error, int code, const char *format, ...) FORMAT(3, 4) NONNULL;

/* The same for a refusal of a class; returns REFUSED. */
int error_refuse(struct error *error, enum error_class class, const char *format, ...)
    FORMAT(3, 4) NONNULL;

/* The same as error_set, for those who take such arguments themselves. */
int error_vset(struct error *error, int code, const char *format, va_list args) FORMAT(3, 0)
    __attribute__((nonnull(1, 3)));

/* Puts "text: " in front of what is there. */
void error_wrap(struct error *error, const char *format, ...) FORMAT(2, 3) NONNULL;

/* Adds to what is there, after "; " unless it is the first. */
void error_add(struct error *error, const char *format, ...) FORMAT(2, 3) NONNULL;
