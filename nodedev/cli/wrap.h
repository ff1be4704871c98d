/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * wrap: breaks text for people into lines.
 */

#pragma once

#include "base/cleanup.h"

#include <stddef.h>
#include <stdio.h>

/* Returns the number of bytes in the first line of a text. The line has at most `columns` columns,
 * and ends at a blank if there is one, else within a word. *next is the beginning of the second
 * line, or the end of the text. */
size_t wrap_line(const char *text, unsigned columns, const char **next) CHECKED NONNULL;

/* Prints a text beside a head of `columns` columns, in lines that are not longer than `width`. */
void wrap_beside(FILE *out, const char *head, unsigned columns, const char *text,
                 unsigned width) NONNULL;
