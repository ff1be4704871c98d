/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * output: a file that a command writes all at once, for somebody who may look at it at any time.
 */

#pragma once

#include "base/error.h"

#include <sys/types.h>

/* Puts a file of these bytes in place of what has the name: there is half a file at no time. Until
 * then it is called PATH.XXXXXX. 0, or -errno with a line in error that names the path. */
int output_replace(const char *path, const char *bytes, size_t length, mode_t mode,
                   struct error *error) CHECKED NONNULL;
