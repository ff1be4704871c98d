/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setting-trace: where each setting was read, for people who want to know. The hook keeps none.
 *
 * A setting has a path, "classes.0.types": its key, and for lists of groups the index of the item.
 * The index is that of the item when all files have been read.
 */

#pragma once

#include "base/cleanup.h"

struct setting_trace_entry {
    char *path;
    char *word;   /* of a list of words; NULL: the setting itself */
    char *origin; /* "file:line" */
};

struct setting_trace {
    struct setting_trace_entry *items; /* in the order in which they were read */
    size_t count;
};

/* Adds an entry. */
void setting_trace_add(struct setting_trace *trace, const char *path, const char *word,
                       const char *origin) __attribute__((nonnull(1, 2, 4)));
void setting_trace_clear(struct setting_trace *trace) NONNULL;

/* Where a setting was read last; NULL: nowhere. */
const char *
setting_trace_origin(const struct setting_trace *trace, const char *path) CHECKED NONNULL;

/* The same for one of its words; and for the n-th of all words that were read, from 0 on. */
const char *setting_trace_word(const struct setting_trace *trace, const char *path,
                               const char *word) CHECKED NONNULL;
const char *
setting_trace_nth(const struct setting_trace *trace, const char *path, size_t n) CHECKED NONNULL;
