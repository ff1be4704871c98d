/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * marks: events of a domain that libvirt told us, and that may not have been handled to their end.
 *
 * libvirt calls `release` once, and not at all while our hook is not installed. Even then no vGPU
 * may be lost. So `release`, `started` and `reconnect` each leave a name, the mark:
 *
 *     /run/libvirt-vgpu/released/DOMAIN.NUMBER     the domain has ended
 *     /run/libvirt-vgpu/ran/DOMAIN.NUMBER          the domain runs, or did: see its status file
 *
 * `release` leaves its mark before it waits for anything. The name is a link that leads nowhere,
 * which takes neither a descriptor nor room in /run. A mark covers the leases of its domain that
 * are in use and have a lower number (ledger.h). So a mark covers nothing of the domain's next run.
 * Links of cards are covered in the same way (whole-card.h).
 *
 * While a daemon lives, its leases are left alone, because it owes us their release. If the marks
 * say that the guest of a lease has ended, the next process releases the lease instead. A mark that
 * covers nothing any more is removed.
 *
 * An example: web01 has the leases 3 and 4, and the next number is 5. `release` leaves
 * released/web01's UUID.5, and is killed. web01 starts again, and its lease gets the number 5 or a
 * higher one. The mark covers 3 and 4, so the next process removes their devices, and not the new
 * one.
 */

#pragma once

#include "lease/ledger.h"

enum mark {
    MARK_RELEASED,
    MARK_RAN,
};

/* Leaves a mark for the leases of a domain that are below a number. -errno with a line in error.
 * The caller must get the number first (statedir_number_above), and then see that the daemon of the
 * event lives. In any other order the mark may cover the next run of the domain, under a later
 * daemon. */
int marks_leave(const struct host *host, enum mark mark, const struct name *domain, uint64_t number,
                struct error *error) CHECKED NONNULL;

/* Lists the marks for a ledger that was just read, in place of those that it has. It is done once
 * for each look, and once for each hold of the lock (transaction_begin). A directory that cannot be
 * read has no marks. */
void marks_read(const struct host *host, struct ledger *ret) NONNULL;

/* Whether the ledger's marks say that the guest of a lease ran with it. */
bool marks_say_ran(const struct ledger *ledger, const struct lease *lease) CHECKED NONNULL;

/* Whether the ledger's marks say that the guest of a lease has ended. The guest was released, or it
 * ran and libvirt has no status file of it any more. */
bool marks_say_ended(const struct ledger *ledger, const struct host *host,
                     const struct lease *lease) CHECKED NONNULL;

/* The same of a card that the guest has taken itself. The second function says only that the guest
 * ran with the card, or had it at its start. */
bool marks_say_card_ended(const struct ledger *ledger, const struct host *host,
                          const struct whole_card *card) CHECKED NONNULL;
bool marks_say_card_ran(const struct ledger *ledger, const struct whole_card *card) CHECKED NONNULL;

/* Removes those of the ledger's marks that cover nothing of it. The lock must be held. */
void marks_sweep(const struct host *host, const struct ledger *ledger) NONNULL;
