/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * json: prints JSON that is more than one list of lines, in the layout of table.h.
 *
 * Strings are printed unchanged, except for the characters that JSON wants escaped.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;
    bool has_before; /* this object or list has a value already */
};

/* Opens an object '{' or a list '['. The key is NULL in a list, and for the outermost value. */
void json_open(struct json *json, const char *key, char kind) __attribute__((nonnull(1)));
void json_close(struct json *json, char kind) NONNULL;

/* Prints a value. The key is NULL in a list. NULL and negative numbers mean "not known", and are
 * printed as null. */
void json_text(struct json *json, const char *key, const char *value) __attribute__((nonnull(1)));
void json_number(struct json *json, const char *key, int64_t value) NONNULL;
void json_flag(struct json *json, const char *key, bool value) NONNULL;

/* Prints members of an object that were printed before, in this layout. */
void json_members(struct json *json, const char *members) NONNULL;

/* Prints a document of this layout, or of table.h's, as one line. */
void json_print_line(const char *document, FILE *out) NONNULL;
