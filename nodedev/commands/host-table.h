/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * host-table: the tables of the commands gpus, types, list and guests. They show this host, or the
 * hosts that --connect names.
 */

#pragma once

#include "cli/table.h"
#include "view/host-view.h"

struct host_table {
    const char *name; /* JSON's key for the whole table */
    const struct table_column *columns;
    size_t count;
    const char *empty;        /* printed if the table of this host is empty */
    const char *empty_remote; /* printed if the tables of all remote hosts are empty */
    struct host_views views;  /* without `show` and `end` */
    /* Adds the lines of one host; see struct host_views. */
    int (*add)(struct table *table, const struct host_view *view, struct error *error);
};

/* Prints the whole table. */
enum command_status host_table_show(const struct host_table *rows, const struct command_call *call,
                                    struct error *error) CHECKED NONNULL;
