/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * marks: what libvirt has told us of a domain, and what may not have come to its end.
 *
 * libvirt calls `release` once, and not at all while our hook is not installed. So that no vGPU is
 * lost by that, each of its calls leaves a name, before it waits for anything:
 *
 *     /run/libvirt-vgpu/released/DOMAIN.NUMBER     the domain has ended
 *     /run/libvirt-vgpu/ran/DOMAIN.NUMBER          the domain runs, or did: see its status file
 *
 * It is a link that leads nowhere: that takes neither a descriptor nor room in /run. It covers the
 * leases of that domain that are in use and have a lower number (ledger.h), so nothing of the
 * domain's next run. While a daemon lives its leases are left alone, as it owes us their release;
 * but not those of which the marks say that their guest has ended: whoever comes next does with
 * them as the release would have. A mark that covers nothing any more is removed.
 */

#pragma once

#include "lease/statedir.h"

enum mark {
    MARK_RELEASED,
    MARK_RAN,
};

/* The number that all leases given until now are below; also without a ledger, which is {0} then.
 */
uint64_t marks_number(const struct host *host, const struct ledger *ledger) CHECKED NONNULL;

/* Marks the leases of a domain that are below a number. A failure is logged under the name of the
 * event. The caller has seen that the daemon which the event came from lived after he had the
 * number: a later daemon may have a next run already. */
void marks_leave(const struct host *host, enum mark mark, const struct name *domain,
                 uint64_t number, const char *event) NONNULL;

/* Whether they say that the guest of a lease has ended: it was released, or it ran and libvirt
 * keeps no status file of it any more. What cannot be read says nothing. */
bool marks_say_ended(const struct statedir *statedir, const struct lease *lease) CHECKED NONNULL;

/* Removes the marks that cover none of these leases, which are those of the ledger; under the lock.
 */
void marks_sweep(const struct statedir *statedir, const struct ledger *ledger) NONNULL;
