/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status-text: the status of a file, as a capture has it.
 *
 *     100644 root 12 1764000000.000000001 1764000000.000000002 1a:77
 *
 * That is the mode in octal, whose it is, the size, when it was modified and changed, and which
 * file of which file system it is. Whose it is: "root", "us" for whoever looked at it, or "other".
 * The one who looks at a capture takes the place of the one who recorded it.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>
#include <sys/stat.h>

struct status_text {
    char text[160];
};
struct status_text status_text_of(const struct stat *status) NONNULL;

/* Reads such a text. False if it is none. */
bool status_text_parse(const char *text, struct stat *ret) CHECKED NONNULL;
