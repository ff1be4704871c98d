/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-check: whether another host would take a domain with its vGPUs, and why.
 *
 * It says "yes" if nothing that can be known speaks against it, "no" if something does for sure,
 * else "unknown". What no libvirt tells of another host (our hook there, its configuration, what
 * its driver can do) is named as a note and does not count.
 */

#pragma once

#include "migrate/remote-capacity.h"
#include "placement/demand.h"

#include <stdio.h>

struct migrate_check {
    const struct remote_host *from, *to; /* both have answered */
    const struct domain *domain;         /* of `from` */
    const struct request *request;       /* its definition that would cross */
    const struct demands *demands;       /* the request's, by this host's configuration */
    const struct inventory *here;        /* from /sys: with sizes, unlike from's own */
    const char *kernel;                  /* this host's; "": not known */
};

/* Prints a line per finding: OK, NO, UNKNOWN or NOTE, and why. *against: how many are not OK.
 * -ENOMEM with a line in error, else 0 and the worst of them in *answer. */
int migrate_check_check(const struct migrate_check *check, FILE *out,
                        enum remote_capacity_answer *answer, size_t *against,
                        struct error *error) CHECKED NONNULL;
