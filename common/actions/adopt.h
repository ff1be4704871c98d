/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * adopt: enters into the ledger what a running guest holds, after its daemon was restarted.
 *
 * Leases that are there get the new daemon, so that they are owed a release again. A device that
 * the XML asks us for and that has no lease (the ledger was lost) gets one; it counts as made,
 * unless mdevctl defines its UUID. The guest is running: nothing is made, removed or probed.
 */

#pragma once

#include "apply/transaction.h"
#include "domain/request.h"

/* The use case of the hook's `reconnect`. Its failure may only be logged: libvirt would kill the
 * guest for a non-zero exit. */
int adopt_domain(const struct host *host, const struct request *request,
                 struct error *error) CHECKED NONNULL;

/* Without the lock: adds to ret a lease for each device that a running guest asks us for, and that
 * has none among those known nor in ret. Whose driver does not answer is left out, with a line in
 * unread. */
void adopt_look(const struct host *host, const struct request *request, const struct ledger *known,
                struct ledger *ret, struct error *unread) NONNULL;

/* Under the lock: enters those of them whose devices still have no lease. */
void adopt_missing(const struct transaction *transaction, const struct ledger *held,
                   const char *event, struct ledger *ledger) NONNULL;
