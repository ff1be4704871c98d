/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * move: a domain's migration by libvirt, watched until it is over.
 *
 * libvirt returns when all is done, so a child process makes that call. We show on a screen how far
 * it is, and ask libvirt to stop it when somebody wants to end this program: the domain stays here
 * then. If this program is killed, its child is, and libvirt ends the migration by itself.
 */

#pragma once

#include "cli/terminal.h"
#include "libvirt/connection.h"

struct move {
    const struct host *host;
    const char *from, *to;           /* the URIs of two libvirts */
    const struct name *domain;       /* its UUID */
    const char *name;                /* the domain's */
    const struct terminal *terminal; /* what `out` is */
    FILE *out;
    FILE *faults; /* for what is wrong although the domain is moved */
};

/* -errno with a line in error, which also says whether the domain still runs here. -EBUSY: nothing
 * was begun, as it has a saved state, which libvirt would leave behind. */
int move_run(const struct move *move, struct error *error) CHECKED NONNULL;
