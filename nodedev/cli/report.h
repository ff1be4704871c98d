/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * report: what is wrong in files, a line each: "FILE:LINE: what", as compilers print it.
 */

#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* `line` is 0 if there is none. */
typedef void
report_listener(void *data, bool is_fault, const char *where, unsigned line, const char *text);

struct report {
    FILE *out;
    size_t faults;   /* what must be mended */
    size_t warnings; /* what works, and is probably not meant */
    /* Hears of each, and then nothing is printed; NULL: all is printed. */
    report_listener *listen;
    void *data;
};

/* `where` is a file, or already a "file:line": line 0 then. */
void report_fault(struct report *report, const char *where, unsigned line, const char *format, ...)
    FORMAT(4, 5) NONNULL;
void report_warning(struct report *report, const char *where, unsigned line, const char *format,
                    ...) FORMAT(4, 5) NONNULL;

/* An error's text that holds several faults, each of which begins with this stem. */
void report_faults(struct report *report, const struct error *error, const char *stem) NONNULL;
