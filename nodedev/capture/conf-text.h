/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * conf-text: copies the text of vgpu.conf, hides its comments, and renames domains.
 */

#pragma once

#include "base/cleanup.h"

/*
 * Returns a copy of the text, which may have faults. Each byte of a comment becomes '-', except
 * blanks and line ends; so lines keep their numbers. Each string that is a `name` or in `domains`
 * becomes what `rename` returns, which is then freed. The caller frees the copy.
 */
char *conf_text_copy(const char *text, char *(*rename)(const char *name, void *data),
                     void *data) CHECKED __attribute__((nonnull(1, 2)));
