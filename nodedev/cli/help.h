/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * help: what vgpuctl says of its commands: --help, and 'vgpuctl help'.
 *
 * The commands are grouped as the manual groups them: a group for each page. The completions read
 * this text, and a check compares the manual with it.
 */

#pragma once

#include "cli/command.h"

/* The command 'help' itself, for lists. It has no `run`, because it needs all commands. */
extern const struct command help_command;

/* Prints all commands and options. */
void help_print(const struct command *const *commands, const struct command_call *call) NONNULL;

/* Prints what one command takes. */
void help_print_usage(const struct command *command, const struct command_call *call) NONNULL;

/* Opens the manual page of a command, at the command. Does not return if there is such a page. */
void help_open_page(const struct command *command, const struct command_call *call) NONNULL;
