/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * long-call: a call of libvirt that returns when its work is over: a migration, a save, a restore.
 *
 * A child process makes the call. This process shows the progress on a screen, over another
 * connection. When a signal would end this process, this process asks libvirt to stop the work, if
 * the work can be stopped. Else the signal waits. If this process is killed, its child is killed,
 * too.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/child.h"
#include "libvirt/connection.h"

struct long_call {
    const struct command_call *call; /* its libvirt has the domain */
    const struct name *domain;       /* UUID */
    const char *name;                /* of the domain */
    const char *doing;               /* what is shown: "saved", "there" */
    bool can_stop;

    /* The child's work, over a connection of its own. It writes its answer to `out`. */
    int (*work)(const void *data, struct connection *connection, FILE *out, struct error *error);
    const void *data;
};

struct long_call_end {
    char said[2048];               /* the child's answer, and why it failed; "": it said nothing */
    bool is_signalled;             /* a signal came that would have ended this process */
    struct connection *connection; /* to ask what became of the domain; NULL: there is none */
};

/* Makes the call and waits for its end. Returns -errno with a line in error if it could not be
 * made. The caller clears ret in every case. */
int long_call_make(const struct long_call *call, struct long_call_end *ret,
                   struct error *error) CHECKED NONNULL;
void long_call_clear(struct long_call_end *end) NONNULL;
