/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reply: the document of a command with --json: its lists, then "errors" and "warnings".
 *
 * A command puts its lists in, and warns, and may name failures that do not end it. The program
 * prints the document once, when the command has ended, however it ended. Its first key, "format",
 * is the version of all documents. config/vgpuctl.schema.json describes them. An error and a
 * warning are findings without a severity (finding.h). Their words are those of command.h.
 *
 * People read a line on stderr for each warning and each failure, and see no document.
 */

#pragma once

#include "cli/command.h"
#include "cli/finding.h"

#define REPLY_FORMAT 2

struct reply {
    FILE *out;        /* where the document goes */
    struct json json; /* the document so far; its stream is NULL before the first list */
    char *text;
    size_t size;
    struct findings errors, warnings;
    bool is_printed; /* a watch has printed it */
    bool is_line;    /* it is printed as one line, because others may come before it */
};

/* Whether the user wants the document. */
static inline bool
reply_is_wanted(const struct command_call *call)
{
    return option_given(&call->options, OPTION_JSON);
}

/* The document, for a list that the caller opens and closes. */
struct json *reply_json(const struct command_call *call) NONNULL __attribute__((returns_nonnull));

/* Warns that the answer may lack something. */
void reply_warn(const struct command_call *call, enum error_class class, const char *format, ...)
    FORMAT(3, 4) NONNULL;

/* Adds a failure that does not end the command. The caller prints the line. */
void reply_fail(const struct command_call *call, const struct error *failure) NONNULL;

/* Ends the document and prints it. `error` is the failure that ends the command; NULL: there is
 * none. */
void
reply_print(const struct command_call *call, const struct error *error) __attribute__((nonnull(1)));

void reply_clear(struct reply *reply) NONNULL;
