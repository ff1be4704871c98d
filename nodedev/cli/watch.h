/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * watch: shows what a command shows again whenever it changes (--watch). A watched command looks
 * again and again. After a look it pauses as long as --interval says. Without that option it pauses
 * nine times as long as the look took: a second at least, and half a minute at most.
 *
 * On a terminal it clears the screen and prints all lines, complaints too, until a signal such as
 * that of ^C ends the program. With --json it prints lines for a program, until the program closes
 * its end of the pipe: the whole document as one line, each time that it has changed. Errors and
 * warnings are in it.
 */

#pragma once

#include "cli/command.h"

/* Runs the command once, with its output in the call's `out` and `faults` (struct command). */
typedef enum command_status watch_look(const struct command_call *call, struct error *error);

/* Returns COMMAND_DONE when nobody reads the output any more, and another status with a line in
 * error if there is nothing to draw on. A look that fails does not end the watch, unless
 * the command makes no sense (COMMAND_USAGE). */
enum command_status
watch_run(const struct command_call *call, watch_look *look, struct error *error) CHECKED NONNULL;
