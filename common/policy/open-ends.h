/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * open-ends: finds what begins in a configuration file and does not end where it should.
 *
 * libconfig names the line at which it can read no further. If a quote or a bracket is missing,
 * that line is far behind the mistake. Pure.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

struct open_ends {
    unsigned line;    /* where it begins; 0: there is none */
    const char *what; /* "string", or the bracket: "{", "(", "[" */
};

/* The first of these that there is:
 * - the first string that goes over the end of its line, if it begins at or before fault_line;
 * - the first bracket that one of another kind ends, at or before fault_line;
 * - the last bracket that is open, if the fault is at the end of the text. */
struct open_ends open_ends_find(const char *text, unsigned fault_line) CHECKED NONNULL;

/* The comment ("comment") or the string that has no end at all. libconfig takes all text behind it
 * for a part of it, and finds no fault in that. */
struct open_ends open_ends_find_hiding(const char *text) CHECKED NONNULL;
