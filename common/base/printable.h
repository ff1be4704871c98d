/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * printable: what may stand in a text that a person reads.
 *
 * Names come from domains, ledgers, other hosts and recorded machines. Their authors may want them
 * to move a terminal's cursor, to begin a new line, or to turn round the text behind them. All text
 * for people passes through here: errors (error.h), log lines (log.h) and what vgpuctl prints
 * (cli/say.h).
 */

#pragma once

#include "base/cleanup.h"

/* Makes a text one printable line of UTF-8, in place. A byte becomes '?' if it is no UTF-8. So does
 * each byte of a control character, a line separator, an invisible character, or one that changes
 * the direction of writing. */
void printable_make(char *text) NONNULL;

/* Returns a text as one word for programs. A blank, a backslash, and each byte that printable_make
 * would replace become "\\x" and the byte's number. The caller frees it. */
char *printable_word(const char *text) CHECKED NONNULL;

/* The same as printable_make for JSON. Only bytes that are no UTF-8 become '?', because JSON must
 * not have any. */
void printable_make_utf8(char *text) NONNULL;
