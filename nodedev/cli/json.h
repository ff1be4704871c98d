/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * json: prints JSON that is more than one list of lines (table.h), in the same layout.
 *
 * Strings are printed as they are, but for what JSON wants escaped.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;
    bool has_before; /* something stands before, in this object or list */
};

/* Opens an object '{' or a list '['; the key is NULL in a list, and outside of all. */
void json_open(struct json *json, const char *key, char kind) __attribute__((nonnull(1)));
void json_close(struct json *json, char kind) NONNULL;

/* A value; NULL, and a negative number, are null: nobody knows it. */
void
json_text(struct json *json, const char *key, const char *value) __attribute__((nonnull(1, 2)));
void json_number(struct json *json, const char *key, int64_t value) NONNULL;
void json_flag(struct json *json, const char *key, bool value) NONNULL;
