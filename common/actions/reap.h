/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reap: removes orphans: vGPUs that no domain, running or defined, refers to.
 *
 * The caller has asked libvirt what domains refer to. It does so before, and never under our lock:
 * libvirt holds a domain's own lock while it waits for the hook.
 *
 * Under the lock, a lease is left alone if it has changed since, or if somebody works on it. So is
 * a lease whose daemon owes us a release. A device that a status file of libvirt's names is left
 * alone, too. Any other device is removed once it is proved that nobody has it open. A device that
 * others made is removed only if it was named. It gets a lease while it is removed, so that nobody
 * else takes its UUID.
 */

#pragma once

#include "actions/lease-outcomes.h"
#include "lease/statedir.h"

/* A domain that refers to a device. */
struct reap_reference {
    struct name device;
    const char *domain; /* its name; borrowed */
};

struct reap_order {
    const struct ledger *before;             /* the ledger as it was before libvirt was asked */
    const struct reap_reference *references; /* all of this host */
    size_t count;
    const struct names *named; /* which to remove; none: every orphan of ours */
    bool dry_run;              /* decide, but do nothing */
};

/* Whether a device that no domain refers to is an orphan. lease is that of the device; NULL: it has
 * none. A device that somebody works on is no orphan. Only root knows who does, so for others the
 * state of the lease decides (statedir.h). */
bool reap_is_orphan(const struct statedir *statedir, const struct lease *lease)
    __attribute__((nonnull(1))) CHECKED;

/*
 * The use case of `vgpuctl reap`. ret says what became, or would become, of each named device or
 * each orphan: removed, forgotten (nothing was left of it) or left alone. `failed` counts those
 * that were left and should not be. -ENOENT with a line in error: there is no device of a name, and
 * nothing was done. The caller clears ret in every case.
 */
int reap_devices(const struct host *host, const struct reap_order *order,
                 struct lease_outcomes *ret, struct error *error) CHECKED NONNULL;

/* Removes these devices, to which no domain refers, if each lease is as in `before`. Nobody is told
 * of a failure: the caller looks whether a device is still there. */
void
reap_named(const struct host *host, const struct ledger *before, const struct names *named) NONNULL;
