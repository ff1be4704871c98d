/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * table: what a command prints: lines of columns, as people or as programs want them.
 *
 * libsmartcols does the work. A value that nobody knows stays unset: it is "-" for people and null
 * in JSON, where columns are keys in lower case.
 *
 * With --connect every table has one more column in front, HOST, which the table itself fills.
 *
 *     rc = table_start(&table, "gpus", columns, COUNT(columns), call, error);
 *     ...
 *     table_line(&table);
 *     table_set(&table, COLUMN_GPU, "%s", gpu->name.text);
 *     ...
 *     return table_print(&table, call->out, error);
 */

#pragma once

#include "cli/command.h"

#include <stdio.h>

enum table_kind {
    TABLE_TEXT,
    TABLE_NUMBER, /* at the right */
    TABLE_FLAG,   /* "yes", "no"; true, false in JSON */
};

struct table_column {
    const char *name; /* in capitals */
    enum table_kind kind;
    bool extra; /* only if --columns names it */

    /* On a terminal that is too narrow for all: */
    unsigned drop;       /* which column is left out first: 1, then 2...; 0: none. A column that has
                            a rank is left out as well if it says nothing */
    bool wraps;          /* its texts are broken into lines */
    const char *same_as; /* it says nothing if all of it is in the column of this name, too */
};

struct libscols_table;
struct libscols_line;

#define TABLE_MOST_COLUMNS 32

struct table {
    const char *name; /* JSON's key for all of it */
    const char *host; /* whose the lines are that are to come; borrowed; NULL without --connect */
    struct table_column columns[TABLE_MOST_COLUMNS]; /* HOST is the last of them if there is one */
    int shown[TABLE_MOST_COLUMNS]; /* per column: its index in smart; -1: it is not shown */
    size_t count;
    struct libscols_table *smart;
    struct libscols_line *line; /* the last one */
    bool json, raw;
    const struct terminal *terminal; /* what it is printed on */
    bool is_chosen;                  /* somebody has named the columns */
    size_t lines;
    int failed; /* -errno of the first failure, which table_print tells */
};

/* Names are borrowed. REFUSED (ERROR_USAGE) if --columns names one that there is not.
 * table_end in every case. */
int table_start(struct table *table, const char *name, const struct table_column *columns,
                size_t count, const struct command_call *call, struct error *error) CHECKED NONNULL;
void table_end(struct table *table) NONNULL;

/* Begins a line. */
void table_line(struct table *table) NONNULL;

/* Sets a value of the line. */
void table_set(struct table *table, size_t column, const char *format, ...) FORMAT(3, 4) NONNULL;
/* The same of what may be unknown: "" or NULL, and 0. */
void
table_set_text(struct table *table, size_t column, const char *text) __attribute__((nonnull(1)));
void table_set_known(struct table *table, size_t column, unsigned value) NONNULL;
void table_set_flag(struct table *table, size_t column, bool value) NONNULL;

/* Whether a column is to be printed: not to look for what nobody will see. */
bool table_shows(const struct table *table, size_t column) CHECKED NONNULL;

/* For people who see a table without a line: says why, on the call's faults, so that who reads the
 * table gets nothing else. */
void table_say_empty(const struct table *table, const struct command_call *call, const char *format,
                     ...) FORMAT(3, 4) NONNULL;

int table_print(struct table *table, FILE *out, struct error *error) CHECKED NONNULL;
