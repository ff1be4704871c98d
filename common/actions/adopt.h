/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * adopt: enters into the ledger what a running guest holds, after its daemon was restarted.
 *
 * Existing leases get the new daemon, which owes us their release from then on. If the ledger was
 * lost, a device that the XML asks us for gets a lease. It counts as made, unless mdevctl defines
 * its UUID. The guest is running: nothing is made, removed or probed.
 */

#pragma once

#include "apply/transaction.h"
#include "domain/request.h"
#include "policy/policy.h"

/* The use case of the hook's `reconnect`. A failure may only be logged: if the hook exits with
 * another status than 0, libvirt kills the guest. */
int adopt_domain(const struct host *host, const struct request *request,
                 struct error *error) CHECKED NONNULL;

/* Without the lock: adds to ret a lease for each device that a running guest asks us for and that
 * has no lease in known or ret. If its driver does not answer, the device is left out, with a line
 * in unread. */
void adopt_look(const struct host *host, const struct request *request, const struct policy *policy,
                const struct ledger *known, struct ledger *ret, struct error *unread) NONNULL;

/* Under the lock: enters the leases of held whose devices still have none in the ledger. */
void adopt_missing(const struct transaction *transaction, const struct ledger *held,
                   const char *event, struct ledger *ledger) NONNULL;

/* The same, and takes the lock. A guest that has given something back since the ledger was `before`
 * is left out: its status file may be outdated. adopted gets what was entered; the caller clears
 * it. */
int
adopt_held(struct transaction *transaction, const struct ledger *held, const struct ledger *before,
           const char *event, struct ledger *adopted, struct error *error) CHECKED NONNULL;
