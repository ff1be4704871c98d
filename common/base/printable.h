/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * printable: what may stand in a text that a person reads.
 *
 * Names come from domains, ledgers, other hosts and recorded machines: whoever chose them may want
 * them to move a terminal's cursor, to begin a line of their own, or to turn round what stands
 * behind them. All text for people comes by here: errors (error.h), log lines (log.h) and what
 * vgpuctl prints (cli/say.h).
 */

#pragma once

#include "base/cleanup.h"

/* Makes one printable line of UTF-8 of it, in place: each byte becomes '?' that is no UTF-8, or
 * belongs to a character which is a control character, begins a line, cannot be seen, or changes
 * the direction of writing. */
void printable_make(char *text) NONNULL;

/* The same for programs: only what is no UTF-8 becomes '?', as no JSON may have that. */
void printable_make_utf8(char *text) NONNULL;
