/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl: the tool that an administrator types: its command line, and what it prints and exits
 * with. What a command does is in its own file.
 */

#pragma once

#include "cli/command.h"

/* Runs one command line. `host` is changed by --root; NULL ends `commands`; `uri` is that of its
 * libvirt, NULL if it has none; `terminal` is what `out` is. Returns the exit status; what went
 * wrong is one line on faults. */
int vgpuctl_run(struct host *host, const struct command *const *commands, const char *uri,
                const struct terminal *terminal, int argc, char *argv[], FILE *out, FILE *faults)
    __attribute__((nonnull(1, 2, 4, 6, 7, 8))) CHECKED;
