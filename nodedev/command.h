/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * command: one word of vgpuctl's, as a row of its table. Each has a file of its own.
 */

#pragma once

#include "error.h"
#include "host.h"

#include <stdio.h>

/* What all commands share, read from the command line. */
struct command_call {
    const struct host *host;
    char *const *arguments; /* those after the command's own name; NULL ends them */
    size_t count;
    FILE *out;
};

/* Exit statuses of vgpuctl. */
enum command_status {
    COMMAND_DONE,
    COMMAND_FAILED,
    COMMAND_USAGE,
    COMMAND_NO_CAPACITY,
    COMMAND_BUSY,
};

struct command {
    const char *name;
    const char *arguments; /* as its help says them; "" for none */
    const char *help;      /* one line */
    size_t most;           /* of arguments */
    /* If it does not return COMMAND_DONE, the reason is in error. */
    enum command_status (*run)(const struct command_call *call, struct error *error);
};

extern const struct command *const commands[];
extern const size_t command_count;

extern const struct command command_reconcile;
