/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * command: one word of vgpuctl's, as a row of its table.
 */

#pragma once

#include "base/host.h"
#include "cli/options.h"
#include "cli/terminal.h"

/* What a command is handed: the world, and what was typed. */
struct command_call {
    const struct host *host;
    const char *name; /* the command's own */
    const char *uri;  /* of this host's libvirt; NULL: it has none, as --root was given */
    struct options options;
    char *const *arguments; /* those after the command's own name; NULL ends them */
    size_t count;
    const struct terminal *terminal; /* what `out` is */
    FILE *out;
    FILE *faults; /* for warnings; what ends the command goes into its error */
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
    const char *page;      /* the manual page that explains it, of section 1 */
    size_t least, most;    /* of arguments */
    uint32_t options;      /* OPTION_BIT of each that it takes; --help is understood */
    /* If it does not return COMMAND_DONE, the reason is in error. */
    enum command_status (*run)(const struct command_call *call, struct error *error);
};

/* What a failed use case of common/ ends the command with. */
enum command_status command_failed(int rc, const struct error *error);
