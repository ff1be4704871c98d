/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * json: prints JSON, with three blanks for each depth.
 *
 * Strings are printed unchanged, except for the characters that JSON wants escaped. In all our
 * documents null means that nobody knows the value. A number that there is none of has no key. An
 * empty text is "", and an empty list is [].
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

/* Prints a number or a truth value that is written already: "12", "true". */
void json_literal(struct json *json, const char *key, const char *text) NONNULL;

/* Prints a document that was written aside: as it is, or as one line. */
void json_print(const char *document, FILE *out) NONNULL;
void json_print_line(const char *document, FILE *out) NONNULL;
