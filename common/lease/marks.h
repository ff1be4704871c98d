/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * marks: events of a domain that libvirt told us, and that may not have been handled to their end.
 *
 * libvirt calls `release` once, and not at all while our hook is not installed. No vGPU may be lost
 * by that. So `release`, `started` and `reconnect` each leave a name:
 *
 *     /run/libvirt-vgpu/released/DOMAIN.NUMBER     the domain has ended
 *     /run/libvirt-vgpu/ran/DOMAIN.NUMBER          the domain runs, or did: see its status file
 *
 * `release` leaves it before it waits for anything. The name is a link that leads nowhere, which
 * takes neither a descriptor nor room in /run. It covers the leases of that domain that are in use
 * and have a lower number (ledger.h). So it covers nothing of the domain's next run.
 *
 * While a daemon lives, its leases are left alone, because it owes us their release. If the marks
 * say that the guest of a lease has ended, the next process releases the lease instead. A mark that
 * covers nothing any more is removed.
 */

#pragma once

#include "lease/statedir.h"

enum mark {
    MARK_RELEASED,
    MARK_RAN,
};

/* A number above those of all leases given until now. If the ledger could not be read, it is
 * {0}. */
uint64_t marks_number(const struct host *host, const struct ledger *ledger) CHECKED NONNULL;

/* Marks the leases of a domain that are below a number. A failure is logged under the name of the
 * event. The caller first got the number, and then saw that the daemon of the event lived. A later
 * daemon may have a next run of the domain already. */
void marks_leave(const struct host *host, enum mark mark, const struct name *domain,
                 uint64_t number, const char *event) NONNULL;

/* Whether the marks say that the guest of a lease has ended: it was released, or it ran and libvirt
 * has no status file of it any more. A mark that cannot be read says nothing. */
bool marks_say_ended(const struct statedir *statedir, const struct lease *lease) CHECKED NONNULL;

/* Removes the marks that cover no lease of the ledger. The lock must be held. */
void marks_sweep(const struct statedir *statedir, const struct ledger *ledger) NONNULL;
