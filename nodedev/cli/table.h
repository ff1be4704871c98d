/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * table: the output of a command as lines of columns, for people or for programs.
 *
 * libsmartcols prints the table for people. A value that is not known stays unset: it is "-" for
 * people and null in JSON. A value that there is none of is "-" for people as well; in JSON a text
 * is "", a list is [], and a number has no key. JSON's keys are the names of the columns in lower
 * case.
 *
 * With --connect every table has one more column in front, HOST, which the table fills in.
 *
 *     rc = table_start(&table, "gpus", columns, COUNT(columns), call, error);
 *     ...
 *     table_line(&table);
 *     table_set(&table, COLUMN_GPU, "%s", gpu->name.text);
 *     ...
 *     return table_print(&table, error);
 */

#pragma once

#include "cli/command.h"

#include <stdio.h>

enum table_kind {
    TABLE_TEXT,
    TABLE_NUMBER, /* aligned to the right */
    TABLE_FLAG,   /* "yes" or "no"; in JSON true or false */
    TABLE_LIST,   /* words with "," between them */
};

struct table_column {
    const char *name; /* in capitals */
    enum table_kind kind;
    bool extra;                                       /* people see it only if --columns names it */
    enum terminal_colour (*colour)(const char *text); /* of a value; NULL: it has none */
    bool costs; /* it is looked up only if --columns names it; such a column is extra as well */

    /* If the terminal is too narrow for all columns: */
    unsigned drop; /* the first to be left out has 1, the next 2...; 0: it always stays. A column
                      with another number than 0 is also left out if it says nothing */
    bool yields;   /* it is left out before any text is broken or cut */
    bool wraps;    /* its sentences may be broken into lines */
    bool cuts;     /* its names may be cut */
    const char *same_as; /* a column that may have the same values; then this one says nothing */
};

struct libscols_table;
struct libscols_line;

#define TABLE_MOST_COLUMNS 32

struct table {
    const char *name; /* JSON's key for the whole table */
    const char *host; /* the host of the next lines; borrowed; NULL without --connect */
    struct table_column columns[TABLE_MOST_COLUMNS]; /* the last one is HOST, if there is one */
    int shown[TABLE_MOST_COLUMNS]; /* per column: its index in smart; -1: not shown */
    size_t count;
    struct libscols_table *smart;
    struct libscols_line *line; /* the last line */
    bool json, raw;
    const struct command_call *call; /* the call that prints it */
    bool is_chosen;                  /* the user has named the columns */
    int sort_column;                 /* -1: the lines stay as they were added */
    bool is_reversed;
    size_t lines;
    int failed; /* -errno of the first failure; table_print reports it */
};

/* Names are borrowed. --columns says which columns are shown: a list, "all", or "+" and a list that
 * comes after the usual columns. --sort names a column that is shown; numbers are ordered by their
 * value, and what is not set comes last. Returns REFUSED (ERROR_USAGE) for an unknown column. The
 * caller calls table_end in every case. */
int table_start(struct table *table, const char *name, const struct table_column *columns,
                size_t count, const struct command_call *call, struct error *error) CHECKED NONNULL;
void table_end(struct table *table) NONNULL;

/* Begins a line. */
void table_line(struct table *table) NONNULL;

/* Sets a value of the last line. */
void table_set(struct table *table, size_t column, const char *format, ...) FORMAT(3, 4) NONNULL;
/* Sets a text. NULL: it is not known. "": there is none. */
void
table_set_text(struct table *table, size_t column, const char *text) __attribute__((nonnull(1)));
/* Sets a number. Less than 0: it is not known. */
void table_set_figure(struct table *table, size_t column, int64_t figure) NONNULL;
/* The same. 0 or less: it is not known. */
void table_set_known(struct table *table, size_t column, int64_t value) NONNULL;
void table_set_none(struct table *table, size_t column) NONNULL;
void table_set_flag(struct table *table, size_t column, bool value) NONNULL;

/* Whether a column is printed. A value that is not printed need not be looked up. */
bool table_shows(const struct table *table, size_t column) CHECKED NONNULL;

/* Tells people something about a table, or why it has no lines. The message goes to the call's
 * faults, so that a program which reads the table does not read the message. */
void table_say(const struct table *table, const char *format, ...) FORMAT(2, 3) NONNULL;
void table_say_empty(const struct table *table, const char *format, ...) FORMAT(2, 3) NONNULL;

/* With --json puts the list into the call's reply, which is printed when the command ends. */
int table_print(struct table *table, struct error *error) CHECKED NONNULL;
