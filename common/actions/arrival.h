/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * arrival: where on this host an arriving guest can have its vGPUs. It arrives by migration or from
 * a saved image.
 *
 * Nothing is made here, because `prepare` follows in the same call of libvirt's. After an offline
 * migration nothing follows. So a refusal means that this host can never give what is asked.
 * Whether there is room now, prepare decides.
 *
 * Places are as near to the XML as possible. Each device stays where it is, if it can. Else it gets
 * another virtual function, else a device of the other kind. Places with room now come first. Next
 * come places that a start can clear of vGPUs that nobody uses. Last come places that this host
 * could only give if it were emptier. But a virtual function must be chosen now, because prepare
 * cannot change the XML any more. A function with room is reserved for the domain, for a minute. A
 * place that is promised to the guest (promise.h) is the only one that will do.
 */

#pragma once

#include "actions/snapshot.h"

struct arrival {
    const struct host *host;          /* borrowed */
    const struct request *request;    /* borrowed */
    struct snapshot snapshot;         /* with demands */
    struct placement_choice *choices; /* per demand; the type means nothing */
    struct names own; /* devices that the guest has here and may have back: those that were kept for
                         it, and those that are leaving and that nobody has open */
    size_t effort;    /* of all searches for places so far */
    bool is_unknown;  /* a GPU has to come up first: the choices mean nothing */
};

/*
 * Sets the choices for the demands of snapshot_read. Looks at the host without its lock. If virtual
 * functions are involved, looks again, takes the lock, and reserves those that have room now.
 * REFUSED: this host can never give what is asked; else a negative errno. The caller clears arrival
 * in every case.
 */
int arrival_choose(struct arrival *arrival, struct error *error) CHECKED NONNULL;

/* After arrival_choose: whether the device of a lease is the guest's own, and the guest may have it
 * back. */
bool arrival_may_have(const struct arrival *arrival, const struct lease *lease) CHECKED NONNULL;

/* Gives up what was reserved, because nobody will ask for it. A reservation that cannot be given up
 * now ends by itself. */
void arrival_give_up(const struct arrival *arrival) NONNULL;

void arrival_clear(struct arrival *arrival) NONNULL;
