/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * utf8: the characters of a text (RFC 3629).
 */

#pragma once

#include "base/cleanup.h"

#include <stdint.h>

/* How many of these bytes, 1 to 4, are the first character; 0: they do not begin with one. There is
 * at least one byte. */
size_t utf8_read(const char *bytes, size_t length, uint32_t *ret) CHECKED NONNULL;
