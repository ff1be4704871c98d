/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * words: strings in a growing array that owns them.
 *
 * For text that people chose: file names, words of the configuration. A name in a path of /sys is a
 * struct name instead (names.h).
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

/* The index of a word in a list that NULL ends; -1: the list does not have it. */
int words_index(const char *const *list, const char *word) CHECKED NONNULL;

struct words {
    char **items;
    size_t count;
};

/* Adds a copy of a word. */
void words_add(struct words *words, const char *word) NONNULL;
bool words_has(const struct words *words, const char *word) CHECKED NONNULL;
void words_clear(struct words *words) NONNULL;

/*
 * The names in a directory, in strcmp's order; "." and ".." are left out. Its descriptor, just
 * opened, is closed in any case; with -1 for it, what opened it has left errno. 0, or -errno and
 * nothing in ret. The caller clears ret.
 */
int words_read_directory(int directory_fd, struct words *ret) CHECKED NONNULL;
