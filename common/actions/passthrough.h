/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * passthrough: guests that take a whole card: one of their devices is the card itself
 * (taken-cards.h).
 *
 * libvirt takes the card from its driver then, and all that is on the card goes with it. So a guest
 * does not start while somebody else has a vGPU or a function of the card. That needs a proof:
 * another domain's lease in use, the status file of a running guest, or an open VFIO node. Doubt
 * lets the guest start, with a line in the log. vGPUs of ours that nobody uses are removed first,
 * as for any start.
 *
 * A card that a guest takes has a link (lease/whole-card.h), so that no other guest gets a vGPU
 * there. libvirt runs no hook when a card is attached to a running guest: that can only be named
 * afterwards.
 *
 * nodedev/sriov/sriov.h answers another question: nobody may use the card, and doubt is a user. It
 * removes nothing, and also counts programs that have the card's own nodes open.
 */

#pragma once

#include "domain/status-files.h"
#include "lease/ledger.h"

/*
 * A part of the use case of the hook's `prepare`. A guest without a PCI device of the host costs
 * nothing. One with some costs a look at their addresses, and more only if one is a card. 0, or
 * REFUSED with a line in error that names the card and who uses it. Nothing else stops the guest.
 * *lock_waited: how many ms it waited for the lock, which lock_timeout has less for the rest.
 */
int passthrough_take(const struct host *host, const struct request *request, unsigned *lock_waited,
                     struct error *error) CHECKED NONNULL;

/* Whether passthrough_take would refuse the guest now: 0 or REFUSED, as there. Nothing is locked or
 * changed, and only the right to read is needed. What cannot be read is no proof. */
int passthrough_foresee(const struct host *host, const struct request *request,
                        struct error *error) CHECKED NONNULL;

/* Adds a line for each card that a running guest has, and that no start of the guest took. The line
 * names the guest and the card, and says how to give the card back. */
void passthrough_find_untold(const struct host *host, const struct status_files *guests,
                             const struct whole_cards *cards, struct words *ret) NONNULL;
