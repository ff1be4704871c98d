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

/* Blocks them, so that a command does and tells all that is left to do. SIGPIPE is blocked too: it
 * is done even if nobody reads. `before` gets the mask of before, for sigprocmask; NULL: nobody
 * needs it, because they stay blocked. */
void end_signals_block(sigset_t *before);

/* Whether such a signal waits, because it is blocked. */
bool end_signals_are_pending(void) CHECKED;
