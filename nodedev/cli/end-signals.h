/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * end-signals: the signals by which people and systems end a program. A command that must not stop
 * halfway blocks them.
 */

#pragma once

#include "base/cleanup.h"

#include <signal.h>
#include <stdbool.h>

/* Fills ret with SIGINT, SIGTERM, SIGHUP and SIGQUIT. */
void end_signals_fill(sigset_t *ret) NONNULL;

/* Blocks them for the rest of a command, which then tells all that it has done. SIGPIPE is blocked
 * too: what is left to do is done even if nobody reads. */
void end_signals_block(void);

/* Whether such a signal waits, because it is blocked. */
bool end_signals_are_pending(void) CHECKED;
