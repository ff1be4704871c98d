/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * whole-card: which GPUs somebody has as a whole: guests, which have taken them as PCI hostdevs, or
 * a vgpuctl. Nobody else gets a vGPU there meanwhile.
 *
 * Each such GPU has a link in the state directory. Links are made and removed under the ledger's
 * lock. statedir_load reads them with the ledger, so whoever decides under the lock knows them.
 */

#pragma once

#include "base/error.h"
#include "base/process.h"

/* --- cards that guests have taken (ledger.cards) ---------------------------------------------- */

/*
 * `prepare` leaves a link for each such card of its guest. The link's name has the card and the
 * domain. Its target has the daemon's pid and start time, a number, and the domain's name:
 *
 *     /run/libvirt-vgpu/whole/0000:18:00.0.DOMAIN -> 4711.52003.3600000123.web01
 *
 * Two guests may want one card, and libvirt gives it to one of them only. So each has its own link.
 * The number is one of the ledger's, so the marks of marks.h cover a link as they cover a lease. A
 * link is no lease: nothing is made or removed for it, and it has no claim. fate.h says until
 * when it counts.
 */

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

/* Whether two links are the same: of one card and one domain, and with one number. */
bool whole_card_equal(const struct whole_card *a, const struct whole_card *b) CHECKED NONNULL;

/* --- GPUs that a vgpuctl has for itself (ledger.proved) --------------------------------------- */

/*
 * For prove, setup or sriov. The target of the link is the number of that process's claim:
 *
 *     /run/libvirt-vgpu/proving/0000:18:00.0 -> 3600000123
 *
 * The link counts while that byte of the claims file is locked. So it ends with the process, or
 * with a writer or a vendor's tool that the process left behind. After that the link means nothing.
 * proving_sweep removes it.
 */

/* Takes a GPU for the holder of a claim. The lock must be held, and the GPU must not be proved by
 * another. -errno with a line in error. */
int proving_begin(const struct host *host, const struct name *gpu, uint64_t claim,
                  struct error *error) CHECKED NONNULL;

/* The GPUs that are being proved, sorted. claims: the claims file; -1: it could not be opened, and
 * every link counts. The caller clears ret. */
void proving_read(const struct host *host, int claims, struct names *ret) NONNULL;

/* Removes links that do not count any more. The lock must be held. */
void proving_sweep(const struct host *host, int claims) NONNULL;

/* Finds a process that has a GPU for itself. All processes are looked at, so the lock must not be
 * held. False: no process has the GPU, or that process may not be looked at. */
bool proving_find(const struct host *host, const struct name *gpu,
                  struct lock_holder *ret) CHECKED NONNULL;
