/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * output: writes a file that others may read at any time, so they never see half of it.
 */

#pragma once

#include "base/error.h"

#include <sys/types.h>

/* Replaces the file at `path` by one with these bytes. The new file is called PATH.XXXXXX until it
 * is complete. Returns 0, or -errno with a line in error that names the path. */
int output_replace(const char *path, const char *bytes, size_t length, mode_t mode,
                   struct error *error) CHECKED NONNULL;
