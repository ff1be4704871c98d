/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-check: whether another host would take a guest with its vGPUs, and why.
 *
 * The answer is "no" if a fact surely speaks against the guest. It is "yes" if no known fact does.
 * Else it is "unknown". libvirt tells nothing about our hook on the other host, about the hook's
 * configuration, and about what the driver there can do. These become notes, and do not count.
 */

#pragma once

#include "migrate/departure.h"
#include "migrate/migrate-verdict.h"
#include "migrate/migrating-guest.h"

struct migrate_check {
    /* This host. NULL if its libvirt has not answered; the guest is then a new one. */
    const struct remote_host *from;
    const struct remote_host *to; /* has answered */
    const struct migrating_guest *guest;
    const struct inventory *here;      /* this host as /sys tells it: with all sizes */
    const struct departure *departure; /* of the guest, unless the guest is new */
};

#define MIGRATE_CHECK_MOST_ROOM 999

/* Runs all checks. The caller clears ret. */
void migrate_check_run(const struct migrate_check *check, struct migrate_verdict *ret) NONNULL;
