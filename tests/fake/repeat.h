/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* repeat: a text of many like pieces, to reach a limit. */

#pragma once

/* A text with `count` pieces between its ends. "#" is the number of a piece, from 1 on. The caller
 * frees it. */
char *repeat(const char *before, const char *piece, unsigned count, const char *after);
