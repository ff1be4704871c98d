/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * arrival: where on this host a guest that arrives, by migration or from a saved image, can have
 * its vGPUs.
 *
 * Nothing is made: `prepare` follows in the same call of libvirt's, and nothing may follow an
 * offline migration. So what is refused is only what this host can never give; whether there is
 * room now is prepare's to say. Places are as near as can be to what the XML says: each device
 * where it is, if that can be had; else another virtual function; else a device of the other kind.
 * What has room now is preferred to what a start can clear, and that to what could only be had
 * another day. But a virtual function must be chosen now, as prepare cannot change the XML any
 * more: one that has room is reserved for the domain, for a minute.
 */

#pragma once

#include "actions/snapshot.h"

struct arrival {
    const struct host *host;          /* borrowed */
    const struct request *request;    /* borrowed */
    struct snapshot snapshot;         /* with demands */
    struct placement_choice *choices; /* per demand; the type is of no meaning */
    size_t effort;                    /* of all searches for places so far */
    bool is_unknown;                  /* a GPU has to come up first: the choices say nothing */
};

/*
 * Sets the choices, by the demands of snapshot_read. The host is looked at without its lock, and if
 * virtual functions come into it, anew with it: those that have room now are reserved then. REFUSED
 * if this host can never give it; else a negative errno. To be cleared in every case.
 */
int arrival_choose(struct arrival *arrival, struct error *error) CHECKED NONNULL;

/* Gives up what was reserved, as nobody will ask for it. What cannot be given up now ends by
 * itself. */
void arrival_give_up(const struct arrival *arrival) NONNULL;

void arrival_clear(struct arrival *arrival) NONNULL;
