/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * adopt: enters into the ledger what a running guest holds, after its daemon was restarted.
 *
 * Existing leases get the new daemon, which owes us their release from then on. If the ledger was
 * lost, a device that the XML asks us for gets a lease. The device counts as made by us, unless
 * mdevctl defines its UUID, or vgpu.conf says enabled = false. The guest is running: nothing is
 * made, removed or probed.
 */

#pragma once

#include "apply/transaction.h"
#include "domain/request.h"
#include "policy/policy.h"

/* The use case of the hook's `reconnect`. A failure may only be logged: if the hook exits with
 * another status than 0, libvirt kills the guest. */
int adopt_domain(const struct host *host, const struct request *request,
                 struct error *error) CHECKED NONNULL;

/* Under the lock: makes a lease of the ledger held, by the transaction's daemon, and gives it a new
 * number. */
void adopt_lease(const struct transaction *transaction, struct ledger *ledger,
                 struct lease *lease) NONNULL;

/* Without the lock: adds to ret a lease for each device that a running guest asks us for. Devices
 * that have a lease in `known` or ret are left out. If its driver does not answer, the device is
 * left out, with a line in unread. */
void adopt_look(const struct host *host, const struct request *request, const struct policy *policy,
                const struct ledger *known, struct ledger *ret, struct error *unread) NONNULL;

/* Under the lock: enters those leases of `held` into the ledger whose devices still have no lease
 * there. A guest is left out if it has given something back since the ledger was `before`, because
 * its status file may be outdated. */
void adopt_missing(const struct transaction *transaction, const struct ledger *held,
                   const struct ledger *before, const char *event, struct ledger *ledger) NONNULL;
