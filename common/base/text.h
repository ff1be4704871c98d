/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * text: a sentence for people that is written piece by piece, such as a list of GPUs.
 *
 * The bytes are the caller's. They always end with NUL. If a piece does not fit, the text ends in
 * "...", with no character cut in two, and takes no further piece. So a loop need not ask whether
 * there is room.
 */

#pragma once

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdbool.h>

struct text {
    char *bytes;
    size_t size;
    size_t length;
    bool is_cut;
};

/* An empty text on these bytes, at least 4. */
struct text text_on(char *bytes, size_t size) CHECKED NONNULL;

/* Adds a piece. */
void text_add(struct text *text, const char *format, ...) FORMAT(2, 3) NONNULL;
void text_vadd(struct text *text, const char *format, va_list args) FORMAT(2, 0)
    __attribute__((nonnull(1, 2)));

/* Adds a piece of a list. The separator comes before it, but not before the first one. */
void
text_join(struct text *text, const char *separator, const char *format, ...) FORMAT(3, 4) NONNULL;
