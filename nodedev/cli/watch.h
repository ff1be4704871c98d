/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * watch: shows again what a command shows, whenever it changes. The command looks every second,
 * or less often: it spends at most a tenth of its time looking.
 *
 * On a terminal it draws the screen, until the user types q or ^C. With --json it prints lines for
 * a program, until the program closes its end of the pipe:
 *
 * - each time that the output has changed: the whole document, as one line;
 * - each time that the complaints have changed: an object "faults" with a list of these lines. The
 *   list is empty when all is well again.
 */

#pragma once

#include "cli/command.h"

/* Shows the command's output once, to the call's `out` and `faults`. Returns -errno with a line in
 * error. */
typedef int watch_show(const struct command_call *call, struct error *error);

/* Returns 0 when the user or the program has ended it. Returns -errno with a line in error. */
int
watch_run(const struct command_call *call, watch_show *show, struct error *error) CHECKED NONNULL;
