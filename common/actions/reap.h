/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reap: removes orphans: vGPUs that no domain, running or defined, refers to.
 *
 * What domains refer to is told by the caller, who asked libvirt before (never under our lock:
 * libvirt holds a domain's own while it waits for the hook). Under the lock, a lease that changed
 * since, that somebody works on, or whose daemon owes us a release, is left alone, and so is what a
 * status file of libvirt's names. Then it is proved that nobody has
 * the device open. What others made is only removed if it was named, and then under a lease of its
 * own meanwhile, so that nobody else takes its UUID.
 */

#pragma once

#include "actions/reconcile.h"
#include "lease/statedir.h"

/* A domain refers to a device. */
struct reap_reference {
    struct name device;
    const char *domain; /* its name; borrowed */
};

struct reap_order {
    const struct ledger *before;             /* the ledger as it was before libvirt was asked */
    const struct reap_reference *references; /* all there are on this host */
    size_t count;
    const struct names *named; /* which to remove; none: every orphan that is ours */
    bool dry_run;              /* decide, and do nothing */
};

/* Whether a device that no domain refers to is an orphan, going by its lease or that it has none
 * (NULL). Not while somebody works on it; where that cannot be told (without root) it counts as
 * such. */
bool reap_is_orphan(const struct statedir *statedir, const struct lease *lease)
    __attribute__((nonnull(1))) CHECKED;

/*
 * The use case of `vgpuctl reap`. What became, or would become, of each device that was named, or
 * of each orphan: removed, forgotten (nothing was left of it) or left alone; `failed` counts those
 * that were not to be left. -ENOENT with a line in error, and nothing done, if there is no device
 * of a name. The caller clears ret in every case.
 */
int reap_devices(const struct host *host, const struct reap_order *order, struct findings *ret,
                 struct error *error) CHECKED NONNULL;
