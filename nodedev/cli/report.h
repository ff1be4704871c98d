/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * report: prints the faults of files, a line each: "FILE:LINE: what", as compilers do.
 */

#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* `line` is 0 if there is no line. */
typedef void report_listener(void *data, bool is_fault, const char *word, const char *where,
                             unsigned line, const char *text);

/* Prints one, as a report without a listener does. */
void
report_print(FILE *out, bool is_fault, const char *where, unsigned line, const char *text) NONNULL;

struct report {
    FILE *out;
    size_t faults;   /* number of things that must be corrected */
    size_t warnings; /* number of things that work, but are probably not meant */
    /* Called with each fault and warning; then nothing is printed. NULL: all is printed. */
    report_listener *listen;
    void *data;
};

/* `word` stays the same in all versions, for programs. `where` is a file; or "file:line", and then
 * `line` is 0. */
void report_fault(struct report *report, const char *word, const char *where, unsigned line,
                  const char *format, ...) FORMAT(5, 6) NONNULL;
void report_warning(struct report *report, const char *word, const char *where, unsigned line,
                    const char *format, ...) FORMAT(5, 6) NONNULL;

/* Reports an error that holds several faults of vgpu.conf. The text of each fault begins with
 * `stem`. */
void report_faults(struct report *report, const struct error *error, const char *stem) NONNULL;
