/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * command: a command of vgpuctl, as a row of a table.
 */

#pragma once

#include "base/host.h"
#include "cli/options.h"
#include "cli/terminal.h"

struct reply;

/* What a command gets: the world, and what was typed. */
struct command_call {
    const struct host *host;
    const struct host *machine; /* where we run. It runs programs, also for a capture of another */
    const char *name;           /* the command's own */
    const char *uri;            /* of this host's libvirt; NULL with --root: there is no libvirt */
    struct options options;
    char *const *arguments; /* the words after the command's own name; the last item is NULL */
    size_t count;
    const struct terminal *terminal; /* the terminal of `out` */
    FILE *out;
    FILE *faults;        /* for warnings; a failure that ends the command goes into its error */
    struct reply *reply; /* the document of --json (reply.h) */
};

/* Exit statuses of vgpuctl. The document of --json has a word beside them: see command_ends. */
enum command_status {
    COMMAND_DONE,
    COMMAND_FAILED,
    COMMAND_USAGE,
    COMMAND_NO_CAPACITY,
    COMMAND_BUSY,
};

/* What a command changes, for the log. A command that only looks changes nothing. */
enum command_changes {
    COMMAND_CHANGES_NOTHING,
    COMMAND_CHANGES_GPUS,
    COMMAND_CHANGES_NAMED_GPU, /* without an argument it only looks */
    COMMAND_CHANGES_DOMAIN,    /* the first argument */
};

struct command {
    const char *name;
    const char *arguments; /* as help shows them; "" for none */
    const char *help;      /* one line */
    const char *example;   /* a line as somebody types it; at most 78 columns */
    const char *page;      /* the manual page that explains it, of section 1 */
    size_t least, most;    /* number of arguments */
    enum command_changes changes;
    uint64_t options; /* OPTION_BIT of each option that it takes; --help is always taken */
    /* What an option is for in this command, if that is not what option_rows says. */
    const char *option_help[OPTIONS];
    /* Returns COMMAND_DONE, or another status with the reason in error. */
    enum command_status (*run)(const struct command_call *call, struct error *error);
};

/* The word for programs, and the exit status, of each class of errors. The words stay the same in
 * all versions; vgpuctl(1) explains them. */
struct command_end {
    const char *word;
    enum command_status status;
};
extern const struct command_end command_ends[ERROR_CLASSES];

/* Returns the exit status for a use case of common/ that has returned rc: 0, or a negative errno
 * with the reason in error. The class of the error alone decides, as it does for the word. */
enum command_status command_ended(int rc, const struct error *error);
