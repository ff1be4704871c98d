/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * shell-word: a name in a command that a person is told to type, and may copy.
 *
 * Whoever may define a domain chooses its name and its aliases. A shell gives ";", blanks and other
 * characters in them a meaning of its own.
 */

#pragma once

#include "base/cleanup.h"

struct shell_word {
    char text[1024];
};

/* The name as one word of a shell: as it is, or in quotes if one of its characters needs them.
 * "NAME" if it is too long. */
struct shell_word shell_word(const char *name) NONNULL;
