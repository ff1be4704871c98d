/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * input: reads a text file that a user names.
 */

#pragma once

#include "base/error.h"

/* Reads the file up to a NUL. *ret becomes its text, "" if the file is empty. The caller frees the
 * text in every case. -errno with a line in error that names the path. */
int input_read(const char *path, char **ret, struct error *error) CHECKED NONNULL;
