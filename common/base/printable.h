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

/* The same for programs. Only bytes that are no UTF-8 become '?', because JSON must not have
 * any. */
void printable_make_utf8(char *text) NONNULL;
