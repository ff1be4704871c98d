/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * suggest: the known word that somebody probably meant, for messages. Pure.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

struct suggest {
    const char *said;
    const char *best; /* NULL: nothing is near enough */
    size_t distance;
};

#define SUGGEST(word) ((struct suggest){.said = (word)})

/* Offers a known word. It must outlive the suggestion. */
void suggest_offer(struct suggest *suggest, const char *word) NONNULL;

/* " (did you mean WORD?)", or "" if nothing is near enough. */
struct suggest_text {
    char text[96];
};
struct suggest_text suggest_text(const struct suggest *suggest) CHECKED NONNULL;
