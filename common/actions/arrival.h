/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * arrival: where on this host a guest that comes from elsewhere can have its vGPUs.
 *
 * As near as can be to what its XML says: each device where it is, if that can be had; else another
 * virtual function; else a device of the other kind. What has room now is preferred to what a start
 * can clear, and that to what could only be had another day, which is prepare's to refuse.
 */

#pragma once

#include "actions/snapshot.h"
#include "placement/placement.h"
#include "placement/resolution.h"

struct arrival {
    const struct host *host;
    const struct request *request;
    struct snapshot snapshot;         /* with demands */
    struct placement_choice *choices; /* per demand; the type is of no meaning */
    size_t effort;                    /* of all searches for places so far */
    bool is_unknown;                  /* a GPU has to come up first: the choices say nothing */
};

/* Looks at the host without its lock, and if virtual functions come into it, anew with it. Those
 * that have room now are reserved for the domain then. REFUSED if this host can never give it. The
 * snapshot has its demands; to be cleared in every case. */
int arrival_choose(struct arrival *arrival, struct error *error) CHECKED NONNULL;
void arrival_clear(struct arrival *arrival) NONNULL;

/* Gives up what was reserved: nobody will ask for it. */
void arrival_give_up(const struct arrival *arrival) NONNULL;
