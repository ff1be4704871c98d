/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl: the administrator's tool: reads the command line, says what its commands are for, and
 * returns the exit status. Each command is in a file of its own.
 */

#pragma once

#include "cli/command.h"

/* Runs one command line. --root changes `host`. `commands` ends with NULL. `uri` is that of the
 * host's libvirt, or NULL if it has none. `terminal` is the terminal of `out`. Returns the exit
 * status. A failure is one line on faults. */
int vgpuctl_run(struct host *host, const struct command *const *commands, const char *uri,
                const struct terminal *terminal, int argc, char *argv[], FILE *out, FILE *faults)
    __attribute__((nonnull(1, 2, 4, 6, 7, 8))) CHECKED;
