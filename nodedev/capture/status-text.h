/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status-text: the status of a file as text in a capture.
 *
 *     100644 root 12 1764000000.000000001 1764000000.000000002 1a:77
 *
 * These are the mode in octal, the owner, the size, the times of modification and of change, the
 * file system, and the file's number there. The owner is "root", "other", or "us" for the user who
 * recorded the capture. On playback, "us" is the user who plays it.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>
#include <sys/stat.h>

struct status_text {
    char text[160];
};
struct status_text status_text_of(const struct stat *status) NONNULL;

/* Reads such a text. Returns false if it is none. */
bool status_text_parse(const char *text, struct stat *ret) CHECKED NONNULL;
