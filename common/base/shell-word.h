/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * shell-word: a name in a command that a person is told to type, and may copy.
 *
 * Names of domains and aliases come from whoever may define a domain, and a shell reads ";", blanks
 * and others in them as its own.
 */

#pragma once

#include "base/cleanup.h"

struct shell_word {
    char text[1024];
};

/* The name as one word of a shell: as it is, or in quotes where a character of it needs that. What
 * is too long is "NAME". */
struct shell_word shell_word(const char *name) NONNULL;
