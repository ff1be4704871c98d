/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * watch: shows what a command shows, once, or with --watch again whenever it changes. A watched
 * command looks again and again. After a look it pauses nine times as long as the look took: a
 * second at least, and half a minute at most.
 *
 * On a terminal it draws the screen, until the user types q or ^C. With --json it prints lines for
 * a program, until the program closes its end of the pipe: the whole document as one line, each
 * time that it has changed. Errors and warnings are in it.
 */

#pragma once

#include "cli/command.h"

/* Shows the command's output once, to the call's `out` and `faults`. Returns -errno with a line in
 * error. */
typedef int watch_show(const struct command_call *call, struct error *error);

/* Without --watch shows it once. Else returns 0 when the user or the program has ended the watch.
 * Returns -errno with a line in error. A look that fails does not end the watch, unless the command
 * makes no sense (ERROR_USAGE). */
int
watch_run(const struct command_call *call, watch_show *show, struct error *error) CHECKED NONNULL;
