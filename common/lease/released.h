/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * released: the marks of releases that may not have come to their end.
 *
 * libvirt calls `release` once. So before the hook waits for anything it leaves a name in
 * /run/libvirt-vgpu/released, DOMAIN.NUMBER, a link that leads nowhere: that takes neither a
 * descriptor nor room in /run. It covers the leases of that domain that are in use and have a lower
 * number (ledger.h), so nothing of the domain's next run. While a daemon lives its leases are left
 * alone, as it owes us their release; but not those that a mark covers: whoever comes next does
 * with them as the release would have. A mark that covers nothing any more is removed.
 */

#pragma once

#include "lease/statedir.h"

/* Marks all leases of a domain that were given until now: below `number`, the ledger's next one, or
 * 0 if that is not known. -errno if it cannot. */
int released_mark(const struct host *host, const struct name *domain, uint64_t number) NONNULL;

/* Whether a lease is covered. What cannot be read covers nothing. */
bool released_covers(const struct statedir *statedir, const struct lease *lease) CHECKED NONNULL;

/* Removes the marks that cover none of these leases, which are those of the ledger; under the lock.
 */
void released_sweep(const struct statedir *statedir, const struct ledger *ledger) NONNULL;
