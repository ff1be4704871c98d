/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-check: whether another host would take a guest with its vGPUs, and why.
 *
 * It says "yes" if nothing that can be known speaks against it, "no" if something does for sure,
 * else "unknown". What no libvirt tells of another host (our hook there, its configuration, what
 * its driver can do) is named as a note and does not count.
 */

#pragma once

#include "migrate/departure.h"
#include "migrate/migrating-guest.h"
#include "migrate/remote-capacity.h"

#include <stdio.h>

struct migrate_check {
    /* This host. NULL: its libvirt has not answered; then the guest is new. */
    const struct remote_host *from;
    const struct remote_host *to; /* it has answered */
    const struct migrating_guest *guest;
    const struct inventory *here;      /* this host from /sys: with sizes, unlike from's own */
    const struct departure *departure; /* the guest's, unless it is new there */
};

#define MIGRATE_CHECK_MOST_ROOM 999

/* What all findings come to. */
struct migrate_verdict {
    enum remote_capacity_answer answer; /* the worst of them */
    size_t against;                     /* how many are not OK */
    char why[1024];                     /* the first of the worst; if all are OK, the last */
    /* If the answer is yes, and a vGPU is asked for: for how many such guests there is room; no
     * more than the above are counted. */
    size_t room;
};

/* Prints a line per finding: OK, NO, UNKNOWN or NOTE, and why; `out` NULL: prints nothing. */
void migrate_check_run(const struct migrate_check *check, FILE *out, struct migrate_verdict *ret)
    __attribute__((nonnull(1, 3)));
