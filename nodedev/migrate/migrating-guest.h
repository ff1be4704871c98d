/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrating-guest: the guest about which another host is asked, and which vGPUs it asks for.
 *
 * It is a domain of this host, which would move there. Or it is new there: described in a file, or
 * nothing but one vGPU of a type; then it would be started there.
 *
 * Its demands borrow from its request, so a guest must stay where it is.
 */

#pragma once

#include "libvirt/remote.h"
#include "placement/demand.h"

struct migrating_guest {
    const char *label;             /* what messages call it; borrowed */
    const struct domain *domain;   /* of this host, or `own` */
    const struct request *request; /* its definition that would be used there */
    struct demands demands;        /* its request's, by this host's configuration */
    bool is_new;                   /* it does not move: it would be started there */

    /* Of one that is new. */
    struct domain own; /* its name and UUID */
    struct request own_request;
    char *type;
};

/* Each is called on {0}, and the guest is cleared in every case. -errno with a line in error. */

/* A domain that this host's libvirt has told of, by its name or UUID. -ENOENT; -EINVAL if its
 * request has a fault. */
int migrating_guest_find(struct migrating_guest *guest, const struct remote_host *here,
                         const char *word, const struct policy *policy,
                         struct error *error) CHECKED NONNULL;

/* What a file of domain XML describes; "-" is stdin. */
int migrating_guest_read(struct migrating_guest *guest, const struct host *host, const char *file,
                         const struct policy *policy, struct error *error) CHECKED NONNULL;

/* Whoever wants one vGPU of a type. */
void migrating_guest_of_type(struct migrating_guest *guest, const char *type) NONNULL;

void migrating_guest_clear(struct migrating_guest *guest) NONNULL;
