/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrating-guest: the guest about which another host is asked, and the vGPUs that the guest asks
 * for.
 *
 * The guest is a domain of this host that would move, or a new guest that would be started there. A
 * new guest comes from a file, or is just one vGPU of a type.
 *
 * The demands borrow from the request, so a guest must not be moved in memory.
 */

#pragma once

#include "libvirt/remote.h"
#include "placement/demand.h"

struct migrating_guest {
    const char *label;             /* the guest's name in messages; borrowed */
    const struct domain *domain;   /* of this host, or `own` */
    const struct request *request; /* the definition that would be used there */
    struct demands demands;        /* the demands of the request, by this host's configuration */
    bool is_new;                   /* it does not move, but would be started there */

    /* Only of a new guest. */
    struct domain own; /* its name and UUID */
    struct request own_request;
    char *type;
};

/* Each of these functions is called on {0}, and the guest is cleared in every case. They return
 * -errno with a line in error. */

/* The guest is a domain that this host's libvirt has told, found by its name or UUID. Returns
 * -ENOENT, or -EINVAL if the request has a fault. */
int migrating_guest_find(struct migrating_guest *guest, const struct remote_host *here,
                         const char *word, const struct policy *policy,
                         struct error *error) CHECKED NONNULL;

/* The guest is what a file of domain XML describes; "-" is stdin. */
int migrating_guest_read(struct migrating_guest *guest, const struct host *host, const char *file,
                         const struct policy *policy, struct error *error) CHECKED NONNULL;

/* The guest is one that asks for one vGPU of a type. */
void migrating_guest_of_type(struct migrating_guest *guest, const char *type) NONNULL;

/* The type of the vGPU that the running guest has for a demand. NULL: it has none yet, or the type
 * is not known. `here` is this host, as /sys tells it. */
const struct inventory_type *
migrating_guest_type(const struct migrating_guest *guest, const struct inventory *here,
                     const struct demand *demand) CHECKED NONNULL;

void migrating_guest_clear(struct migrating_guest *guest) NONNULL;
