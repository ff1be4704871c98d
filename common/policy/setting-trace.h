/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setting-trace: where each setting was read, for people who want to know. The hook keeps none.
 *
 * A setting has a path, "classes.0.types": its key, and for lists of groups the index of the item.
 * The index is that of the item when all files have been read.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

struct setting_trace_word {
    char *word, *origin;
};

/* What was read at one path. */
struct setting_trace_entry {
    char *path;
    char *origin; /* of the setting itself, "file:line"; NULL: it was not read */
    struct setting_trace_word *words; /* of a list of words, in the order in which they were read */
    size_t word_count;
};

struct setting_trace {
    struct setting_trace_entry **items; /* one for each path */
    size_t count;
    void *by_path; /* tree of tsearch(3) */
};

/* Notes where a setting was read, or a word of its list; NULL: the setting itself. */
void setting_trace_add(struct setting_trace *trace, const char *path, const char *word,
                       const char *origin) __attribute__((nonnull(1, 2, 4)));
void setting_trace_clear(struct setting_trace *trace) NONNULL;

/* Forgets what was read at paths that are not kept. */
void setting_trace_keep(struct setting_trace *trace, bool (*is_kept)(const char *path)) NONNULL;

/* Where a setting was read last; NULL: nowhere. */
const char *
setting_trace_origin(const struct setting_trace *trace, const char *path) CHECKED NONNULL;

/* The same for one of its words; and for the n-th of all words that were read, from 0 on. */
const char *setting_trace_word(const struct setting_trace *trace, const char *path,
                               const char *word) CHECKED NONNULL;
const char *
setting_trace_nth(const struct setting_trace *trace, const char *path, size_t n) CHECKED NONNULL;
