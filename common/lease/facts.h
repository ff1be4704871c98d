/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * facts: what the host says of a lease, gathered once, for fate.h to judge.
 */

#pragma once

#include "domain/status-files.h"
#include "lease/fate.h"
#include "lease/statedir.h"

/*
 * The facts that every occasion shares. `guests` is what libvirt's status files say, read while the
 * ledger had the lease as it is now; NULL: nobody has read them, as the lease's own domain starts
 * or has ended. The facts borrow from the guests.
 */
struct fate_facts facts_gather(const struct statedir *statedir, const struct status_files *guests,
                               const struct lease *lease) __attribute__((nonnull(1, 3))) CHECKED;

/* Whether the fate of a lease that is not one's own depends on the guests: reading them is not
 * free. */
bool facts_need_guests(const struct statedir *statedir, const struct lease *lease) CHECKED NONNULL;

/* The guests, if the fate of any lease depends on them. What cannot be read counts as running. The
 * caller clears ret. */
void facts_read_guests(const struct statedir *statedir, const struct ledger *ledger,
                       struct status_files *ret) NONNULL;
