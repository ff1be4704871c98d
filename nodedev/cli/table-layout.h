/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * table-layout: makes a table fit the width of a terminal.
 *
 * First go columns that say nothing, or the same as another; then those that say least, in the
 * order that the command gives, until the rest fits once long texts are broken into lines.
 */

#pragma once

#include "base/error.h"

#include <stdbool.h>

struct libscols_table;

/* Of a column, in the table's order. */
struct table_place {
    unsigned drop; /* which goes first: 1, then 2...; 0: it stays */
    bool wraps;    /* its texts may be broken */
    int same_as;   /* a column that may say the same; -1: none */
};

/* `may_drop`: nobody has asked for just these columns. 0 or -errno. */
int table_layout(struct libscols_table *smart, const struct table_place *places, size_t count,
                 unsigned width, bool may_drop) CHECKED NONNULL;
