/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * host-table: the tables of gpus, types and list, of this host or of those that --connect names.
 */

#pragma once

#include "cli/table.h"
#include "view/host-view.h"

struct host_table {
    const char *name; /* JSON's key for all of it */
    const struct table_column *columns;
    size_t count;
    const char *empty;        /* what is said if there is no line for this host */
    const char *empty_remote; /* and if there is none for others */
    struct host_views views;  /* but for `show` and `end` */
    /* Adds the lines of one host; see struct host_views. */
    int (*add)(struct table *table, const struct host_view *view, struct error *error);
};

/* The whole of such a command. */
enum command_status host_table_show(const struct host_table *rows, const struct command_call *call,
                                    struct error *error) NONNULL;
