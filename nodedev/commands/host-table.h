/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * host-table: the tables of gpus, types and list, of this host or of those that --connect names.
 *
 * The same code writes the lines of either. Of another host there is only what its libvirt tells;
 * what that does not tell is left unset, not guessed. Hosts that do not answer are told on the
 * call's faults, a line each, and the others are shown all the same; then the command has failed.
 */

#pragma once

#include "cli/command.h"
#include "cli/table.h"
#include "libvirt/references.h"
#include "view/host-snapshot.h"

/* One host. */
struct host_view {
    const struct command_call *call;
    bool is_remote;               /* then its policy and its ledger are empty: they are not known */
    struct snapshot snapshot;     /* with the types that the table wants */
    struct references references; /* if the table wants them; else nothing is known of domains */
};

struct host_table {
    const char *name; /* JSON's key for all of it */
    const struct table_column *columns;
    size_t count;
    const struct inventory_filter *filter; /* the types that are read in full */
    bool wants_references;
    /* Adds the lines of one host. -errno with a line in error; a remote host's -ENOENT, for what is
     * to be shown is not there, fails the command if all hosts say it. */
    int (*add)(struct table *table, const struct host_view *view, struct error *error);
};

/* The whole of such a command. */
enum command_status host_table_show(const struct host_table *rows, const struct command_call *call,
                                    struct error *error) NONNULL;
