/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * options: the options of vgpuctl's command line.
 *
 * One table has all options. A command has a bit for each option that it takes. Help, manual page
 * and completion are checked against the table.
 */

#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum option_key {
    OPTION_ROOT,
    OPTION_CONNECT,
    OPTION_HOSTS,
    OPTION_TIMEOUT,
    OPTION_JSON,
    OPTION_RAW,
    OPTION_NOHEADINGS,
    OPTION_COLUMNS,
    OPTION_TYPE,
    OPTION_CLASS,
    OPTION_PARENT,
    OPTION_PLACEMENT,
    OPTION_NUMA,
    OPTION_TRAITS,
    OPTION_PARAM,
    OPTION_ALIAS,
    OPTION_UUID,
    OPTION_COUNT,
    OPTION_CONFIG,
    OPTION_LIVE,
    OPTION_START,
    OPTION_PRINT_XML,
    OPTION_RENEW,
    OPTION_EXACTLY,
    OPTION_DISPLAY,
    OPTION_ALL,
    OPTION_PRINT,
    OPTION_DECLARE,
    OPTION_DRY_RUN,
    OPTION_REBUILD,
    OPTION_OUTPUT,
    OPTION_SINCE,
    OPTION_WATCH,
    OPTION_INTERVAL,
    OPTION_COLOR,
    OPTION_BEST,
    OPTION_HERE,
    OPTION_STOP,
    OPTION_EXCEPT,
    OPTION_REASON,
    OPTION_PLAN,
    OPTION_BACK,
    OPTION_NAMES,
    OPTION_CAPTURE,
    OPTION_AVAILABLE,
    OPTION_SORT,
    OPTION_HELP,
    OPTION_VERSION,
    OPTIONS, /* the number of options */
};

#define OPTION_BIT(option) (UINT64_C(1) << (option))
#define OPTION_BITS_ALWAYS OPTION_BIT(OPTION_HELP) /* every command takes these */
#define OPTION_BITS_TABLE                                                                          \
    (OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_RAW) | OPTION_BIT(OPTION_NOHEADINGS) |            \
     OPTION_BIT(OPTION_COLUMNS))
#define OPTION_BITS_WATCH (OPTION_BIT(OPTION_WATCH) | OPTION_BIT(OPTION_INTERVAL))
#define OPTION_BITS_REMOTE                                                                         \
    (OPTION_BIT(OPTION_CONNECT) | OPTION_BIT(OPTION_HOSTS) | OPTION_BIT(OPTION_TIMEOUT))

struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: it takes none */
    const char *help;
};
extern const struct option_row option_rows[OPTIONS];

/* The options that were typed. Strings are borrowed from the command line, and from `hosts`. */
struct options {
    const char *values[OPTIONS]; /* NULL: not typed; "": typed, and it takes no argument */
    const char **uris;           /* those of every --connect, then those of --hosts */
    size_t uri_count;
    char *hosts;         /* text of the file of --hosts (options_read_hosts); NULL: not read */
    const char **params; /* those of every --param */
    size_t param_count;
    const char **excepted; /* those of every --except */
    size_t excepted_count;
};

/*
 * Reads a command line. Options may stand anywhere before a "--". All other words are moved to the
 * end; *rest is the first of them. Returns REFUSED (ERROR_USAGE) with a line in error; ret then
 * has all options that could be read. The caller clears ret in every case.
 */
int options_read(int argc, char *argv[], struct options *ret, int *rest,
                 struct error *error) CHECKED NONNULL;
void options_clear(struct options *options) NONNULL;

/* Reads the text file that an option names, up to a NUL. *ret becomes its text, "" if the file is
 * empty. The caller frees the text in every case. -errno with a line in error that names the
 * path. */
int options_read_file(const struct options *options, enum option_key option, char **ret,
                      struct error *error) CHECKED NONNULL;

/* Adds the URIs in the file of --hosts to those of --connect. Each line of the file has one. Empty
 * lines, and lines that begin with '#', are skipped. Does nothing without --hosts. Returns -errno
 * with a line in error if the file cannot be read. Returns REFUSED (ERROR_USAGE) if the file names
 * no host, or if a line has more than one word. */
int options_read_hosts(struct options *options, struct error *error) CHECKED NONNULL;

static inline bool
option_given(const struct options *options, enum option_key option)
{
    return options->values[option] != NULL;
}

/* Returns 0, or REFUSED (ERROR_USAGE) if an option was typed that is not among these bits. */
int
options_check(const struct options *options, uint64_t bits, struct error *error) CHECKED NONNULL;

/* Reads the value of an option as a number from least to most, or returns `otherwise` if it was not
 * typed. Returns REFUSED (ERROR_USAGE). */
int
options_number(const struct options *options, enum option_key option, unsigned least, unsigned most,
               unsigned otherwise, unsigned *ret, struct error *error) CHECKED NONNULL;

/* Reads the seconds of --timeout. Returns REFUSED (ERROR_USAGE). */
int
options_timeout(const struct options *options, unsigned *ret, struct error *error) CHECKED NONNULL;

/* Whether an option asks for a table, for commands that otherwise print text. */
bool options_want_table(const struct options *options) CHECKED NONNULL;

/* Prints what the options of these bits are for, in lines that are not longer than `width`. Where a
 * command has words of its own for an option, these are printed instead of those of option_rows. */
void options_help(uint64_t bits, const char *const own[OPTIONS], unsigned width, FILE *out) NONNULL;
