/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * look: what was seen of leases and their devices without the lock.
 *
 * A driver may take seconds to answer, and a guest's XML may be long. So a process that is to
 * decide looks first. Then it takes the lock and reads the ledger again. It trusts the look only
 * where the ledger has not changed meanwhile.
 *
 * The order of a look matters: first the ledger, then who is at work on which lease, then the
 * devices and the guests. If somebody gets a lease later and acts on it, either the look sees that,
 * or the ledger under the lock tells it.
 *
 * An example: a look reads the ledger with the lease 7 of web01, and then sees that its device is
 * closed. Meanwhile web01 starts again, and its lease gets the number 8. Under the lock the ledger
 * has 8 and not 7. So nothing that was seen of 7 is believed of 8.
 */

#pragma once

#include "domain/status-files.h"
#include "lease/statedir.h"

struct look_device {
    bool is_known; /* it was looked at while nobody was at work on it */
    enum vgpu_state state;
    struct name type; /* if it is present */
};

/* What was known of a card that a guest has taken itself (whole-card.h), as bits. */
enum {
    LOOK_CARD_RAN = 1 << 0,      /* a mark said that its guest ran */
    LOOK_CARD_ORPHANED = 1 << 1, /* its daemon was gone */
};

struct look {
    struct ledger before;        /* the ledger as it was then */
    struct ledger_order order;   /* of before */
    struct look_device *devices; /* one for each lease in before */
    struct status_files guests;  /* from libvirt's status files */
    struct ledger asked;         /* the leases, as they were before the guests were read */
    struct ledger_order asked_order;
    bool *ended;          /* per lease in asked: its daemon was gone, or its end marked */
    unsigned char *cards; /* per card in asked, as it was before the guests were read */
};

/* Reads the ledger, and looks at the devices of a domain's leases; if domain is NULL, at those of
 * all leases. Drops what was seen of devices before. Errors are those of statedir_load, with a line
 * in error. The caller clears look in every case. */
int look_take(struct look *look, const struct statedir *statedir, const struct name *domain,
              struct error *error) __attribute__((nonnull(1, 2, 4))) CHECKED;

/* The same with a ledger that the caller has just read. */
void look_take_with(struct look *look, const struct statedir *statedir, const struct ledger *ledger,
                    const struct name *domain) __attribute__((nonnull(1, 2, 3)));
void look_clear(struct look *look) NONNULL;

/* Looks at the running guests too: the fate of another domain's lease depends on them. A guest that
 * cannot be read counts as running. The second function does so only if a lease has ended since the
 * guests were read, because reading them is not free. -errno with a line in error if nothing could
 * be read. */
int look_at_guests(struct look *look, const struct host *host, struct error *error) CHECKED NONNULL;
void look_at_guests_if_needed(struct look *look, const struct statedir *statedir) NONNULL;

/* look_knows_guest: the lease has not changed since the guests were read. look_knows_end: besides,
 * its daemon was gone or its end marked by then. Otherwise a guest that was not seen may have been
 * starting. */
bool look_knows_guest(const struct look *look, const struct lease *lease) CHECKED NONNULL;
bool look_knows_end(const struct look *look, const struct lease *lease) CHECKED NONNULL;

/* What was known of a card before the guests were read. 0 also if its link has changed since, or
 * the guests were not read. */
unsigned look_card(const struct look *look, const struct whole_card *card) CHECKED NONNULL;

/* What was seen of a lease's device. NULL: nothing that still holds, because the lease has changed,
 * or somebody was at work on it. Whether somebody is at work now is not asked here. */
const struct look_device *look_device(const struct look *look, const struct lease *lease) NONNULL;

/*
 * Compares the look with a ledger that was read later. ret gets the leases that have come, changed
 * or gone since. The devices of these leases take their places, and an inventory that was read with
 * the look may not show them. The caller clears ret.
 */
void look_compare(const struct look *look, const struct ledger *ledger, struct ledger *ret) NONNULL;

/* Whether a lease from look_compare had its place at the look already, and has only changed its
 * state since. */
bool look_had_place(const struct look *look, const struct ledger *ledger,
                    const struct lease *lease) CHECKED NONNULL;
