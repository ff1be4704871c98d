/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * wrap: breaks text for people into lines.
 */

#pragma once

#include "base/cleanup.h"

#include <stddef.h>
#include <stdio.h>

/* How many bytes of a text make its first line of at most so many columns: up to a blank if there
 * is one, else through a word. *next is where the second line begins; at the end of the text if
 * there is none. */
size_t wrap_line(const char *text, unsigned columns, const char **next) CHECKED NONNULL;

/* Prints a text beside a head of so many columns, in lines that are not longer than a width. */
void wrap_beside(FILE *out, const char *head, unsigned columns, const char *text,
                 unsigned width) NONNULL;
