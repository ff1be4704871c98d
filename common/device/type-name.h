/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * type-name: the words by which people name a type. These are its id ("nvidia-222"), its whole name
 * ("GRID T4-1B"), the last word of its name ("T4-1B"), and other words for its number
 * (nvidia-number.h).
 */

#pragma once

#include "base/suggest.h"
#include "device/inventory.h"

/* Returns the last word of a name. A name of one word is returned whole. */
const char *type_name_last_word(const char *name) CHECKED NONNULL;

/* Whether a word that a person wrote names a type. */
bool type_name_matches(const struct inventory_type *type, const char *word) CHECKED NONNULL;

/* Offers the words for a type, without the other words for its number. */
void type_name_suggest(const struct inventory_type *type, struct suggest *suggest) NONNULL;
