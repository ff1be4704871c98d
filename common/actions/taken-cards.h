/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * taken-cards: which cards a guest takes as a whole. Its XML takes them by a PCI device of the
 * host: a <hostdev>, a <disk type='nvme'>, or an <interface type='hostdev'>.
 *
 * A GPU is such a card. So is any other device that has functions, if a lease or a pool of
 * vgpu.conf names one of them. Only for such a device are ledger and vgpu.conf read, once, without
 * the lock. A broken file counts as one that names nothing, so that it refuses no guest.
 */

#pragma once

#include "domain/request.h"
#include "lease/ledger.h"
#include "policy/policy.h"

struct taken_cards {
    const struct host *host;
    bool is_read; /* ledger and policy */
    struct ledger ledger;
    struct policy policy;
};

/* Lists the cards that a guest takes. One struct serves for many guests of one moment. The caller
 * clears both. */
void taken_cards_list(struct taken_cards *cards, const struct request *request,
                      struct names *ret) NONNULL;
void taken_cards_clear(struct taken_cards *cards) NONNULL;

/* Whether a guest has any PCI device of the host, or may have one, as its XML was not read to its
 * end. Nothing is read for that. */
bool taken_cards_may_be(const struct request *request) CHECKED NONNULL;
