/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * error: one failure, as the line that a person will read.
 *
 * Functions return -errno. The first one that knows what failed (which file, which GPU) fills in
 * the struct error of its caller. Callers may put in front what they were doing. main prints it.
 *
 * It is always one printable line of UTF-8. Other bytes and characters of a name become '?'
 * (printable.h). A text that is too long ends in "...".
 */

#pragma once

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdbool.h>

/* The kind of a failure, for exit statuses and counters. */
enum error_class {
    ERROR_FAILED,    /* something went wrong: the code says what */
    ERROR_NO_ROOM,   /* refused: there is no room now, but another day there may be */
    ERROR_NEVER,     /* refused: this host cannot give it, however empty it is */
    ERROR_TAKEN,     /* refused: what it names belongs to somebody else, or is something else */
    ERROR_UNDECIDED, /* refused: the search takes too long */
    ERROR_USAGE,     /* refused: the command makes no sense */
};

struct error {
    char text[2048];
    enum error_class class;
    bool is_denied; /* a right is missing (EACCES): root might have it */
    unsigned line;  /* line of the domain's XML that is at fault; 0: none */
};

/* The code of a refusal. The error's class says of which kind it is. */
#define REFUSED (-ECANCELED)

/* Replaces the text. Returns code, a negative errno, so that a caller can "return error_set(...)".
 */
int error_set(struct error *error, int code, const char *format, ...) FORMAT(3, 4) NONNULL;

/* The same for a refusal of this class. Returns REFUSED. */
int error_refuse(struct error *error, enum error_class class, const char *format, ...)
    FORMAT(3, 4) NONNULL;

/* error_set with a va_list. */
int error_vset(struct error *error, int code, const char *format, va_list args) FORMAT(3, 0)
    __attribute__((nonnull(1, 3)));

/* Puts a text and ": " in front of the error's text. */
void error_wrap(struct error *error, const char *format, ...) FORMAT(2, 3) NONNULL;

/* Appends a text, after "; " if there is a text already. */
void error_add(struct error *error, const char *format, ...) FORMAT(2, 3) NONNULL;
