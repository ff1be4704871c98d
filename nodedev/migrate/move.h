/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * move: migrates a domain by libvirt, and watches the migration until it is over
 * (libvirt/long-call.h). When a signal would end this process, libvirt is asked to stop the
 * migration, and the domain stays here.
 */

#pragma once

#include "cli/command.h"
#include "migrate/moved-types.h"

struct move {
    const struct command_call *call; /* its libvirt has the domain */
    const char *to;                  /* the URI of the other libvirt */
    const struct name *domain;       /* UUID of the domain */
    const char *name;                /* name of the domain */
    const struct moved_types *types; /* what it asks for there in place of classes; NULL: nothing */
    const char *place;               /* where it runs until then, for messages; NULL: "here" */
    bool *is_signalled; /* is set if a signal came that would have ended this process; NULL: nobody
                           asks */
};

/* Returns -errno with a line in error, which also says whether the domain still runs here. Returns
 * -EBUSY, and does nothing, if the domain has a saved state: libvirt would leave that state
 * behind. */
int move_run(const struct move *move, struct error *error) CHECKED NONNULL;
