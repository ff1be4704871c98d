/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * whole-card: which GPUs guests have taken themselves, as PCI hostdevs. Nobody else gets a vGPU
 * there meanwhile.
 *
 * `prepare` leaves a link in the state directory for each such card of its guest. The link's name
 * has the card and the domain. Its target has the daemon's pid and start time, a number, and the
 * domain's name:
 *
 *     /run/libvirt-vgpu/whole/0000:18:00.0.DOMAIN -> 4711.52003.3600000123.web01
 *
 * Two guests may want one card, and libvirt gives it to one of them only. So each has its own link.
 * The number is one of the ledger's, so the marks of marks.h cover a link as they cover a lease. A
 * link is no lease: nothing is made or removed for it, and it has no claim. fate.h says until
 * when it counts.
 *
 * Links are made and removed under the ledger's lock. statedir_load reads them with the ledger
 * (ledger.cards).
 */

#pragma once

#include "base/error.h"
#include "base/process.h"

struct whole_card {
    struct name card;
    struct name domain; /* its UUID */
    char domain_name[256];
    struct process daemon; /* libvirt's, which will call "release" for the domain */
    uint64_t number;       /* from statedir_take_number */
};

struct whole_cards {
    struct whole_card *items;
    size_t count;
};

/* Leaves a link, in place of the one that the domain has for the card. The lock must be held.
 * -errno with a line in error. */
int whole_card_leave(const struct host *host, const struct whole_card *card,
                     struct error *error) CHECKED NONNULL;

/* Removes a link. The lock must be held. */
void whole_card_remove(const struct host *host, const struct whole_card *card) NONNULL;

/* Adds the links that are there. Anything else in the directory stays, and does not count. The
 * caller clears ret. */
void whole_cards_read(const struct host *host, struct whole_cards *ret) NONNULL;
void whole_cards_copy(const struct whole_cards *from, struct whole_cards *to) NONNULL;
void whole_cards_clear(struct whole_cards *cards) NONNULL;

/* Whether a domain has any link. */
bool
whole_cards_have_domain(const struct whole_cards *cards, const struct name *domain) CHECKED NONNULL;

/* Removes a domain's links with a lower number. of_ended: only those whose daemon has ended. The
 * lock must be held. Returns whether there were any. */
bool whole_cards_end(const struct host *host, struct whole_cards *cards, const struct name *domain,
                     uint64_t below, bool of_ended) NONNULL;

/* Whether two links are the same: of one card and one domain, and with one number. */
bool whole_card_equal(const struct whole_card *a, const struct whole_card *b) CHECKED NONNULL;
