/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * table-layout: makes a table fit the width of a terminal.
 *
 * First it leaves out columns that say nothing, or the same as another column. Then it leaves out
 * those that yield to whole texts, and the least important columns, in the order that the command
 * gives. It stops when the rest fits with long sentences broken into lines, and long names cut.
 */

#pragma once

#include "base/error.h"

#include <stdbool.h>

struct libscols_table;

/* Of a column, in the order of the table. */
struct table_place {
    unsigned drop; /* the first to be left out has 1, the next 2...; 0: it always stays */
    bool yields;   /* it is left out before any text is broken or cut */
    bool wraps;    /* its sentences may be broken into lines */
    bool cuts;     /* its names may be cut, and end in ".." then */
    int same_as;   /* a column that may have the same values; -1: none */
};

/* `may_drop`: the user has not named the columns. Returns 0 or -errno. */
int table_layout(struct libscols_table *smart, const struct table_place *places, size_t count,
                 unsigned width, bool may_drop) CHECKED NONNULL;
