/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * conf-text: the text of vgpu.conf without what its comments say, and with other names of domains.
 */

#pragma once

#include "base/cleanup.h"

/*
 * A copy of the text, right or wrong as it is. In comments each byte is '-', but for blanks and the
 * ends of lines, so that lines keep their numbers. Each string that is a `name` or among `domains`
 * is what `rename` makes of it, which is freed. The caller frees the copy.
 */
char *conf_text_copy(const char *text, char *(*rename)(const char *name, void *data),
                     void *data) CHECKED __attribute__((nonnull(1, 2)));
