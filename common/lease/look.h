/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * look: what was seen of leases and their devices without the lock.
 *
 * A driver may take seconds to answer, and a guest's XML is as long as people like. So whoever is
 * to decide looks first, then takes the lock and reads the ledger again, and goes by what it saw
 * only where the ledger has not changed meanwhile. The order matters: the ledger, then who is at
 * work on which lease, then the devices and the guests. So what is done by somebody who got his
 * lease later is either seen, or told by the ledger that is read under the lock.
 */

#pragma once

#include "domain/status-files.h"
#include "lease/statedir.h"

struct look_device {
    bool is_known; /* it was looked at, and nobody was at work on it */
    enum vgpu_state state;
    struct name type; /* of one that is present */
};

struct look {
    struct ledger before;        /* the ledger as it was then */
    struct look_device *devices; /* one for each lease of it */
    struct status_files guests;  /* what libvirt's status files said, */
    struct ledger asked;         /* and the leases as they were before; of each, whether */
    bool *ended;                 /* its daemon was gone by then, or the marks said so */
};

/* Reads the ledger, and looks at the devices of a domain's leases; if domain is NULL, at those of
 * all. What was seen of devices before is dropped. The errors of statedir_load, with a line in
 * error. The caller clears look in every case. */
int look_take(struct look *look, const struct statedir *statedir, const struct name *domain,
              struct error *error) __attribute__((nonnull(1, 2, 4))) CHECKED;

/* The same with a ledger that the caller has read just now. */
void look_take_with(struct look *look, const struct statedir *statedir, const struct ledger *ledger,
                    const struct name *domain) __attribute__((nonnull(1, 2, 3)));
void look_clear(struct look *look) NONNULL;

/* Looks at the running guests too: what becomes of another's lease depends on them. Those that
 * cannot be read count as running. The second only does so if there is a lease of which that is not
 * known, as reading them is not free. -errno with a line in error if nothing could be read. */
int look_at_guests(struct look *look, const struct statedir *statedir, const struct host *host,
                   struct error *error) CHECKED NONNULL;
void look_at_guests_if_needed(struct look *look, const struct statedir *statedir) NONNULL;

/* Whether the guests were looked at for a lease as it is. And whether that was after its daemon was
 * gone, or its release was marked: only then does it follow that its guest does not run, as one
 * that was starting before may run since. */
bool look_knows_guest(const struct look *look, const struct lease *lease) CHECKED NONNULL;
bool look_knows_end(const struct look *look, const struct lease *lease) CHECKED NONNULL;

/* What was seen of a lease's device. NULL: nothing that still holds, because the lease has changed,
 * or somebody was at work on it. Whether somebody is by now is not asked here. */
const struct look_device *look_device(const struct look *look, const struct lease *lease) NONNULL;

/*
 * The leases that have come, changed or gone since the look, of a ledger that was read later. Their
 * devices take their places, and an inventory that was read with the look may not show them. The
 * caller clears ret.
 */
void look_compare(const struct look *look, const struct ledger *ledger, struct ledger *ret) NONNULL;

/* Whether a lease that look_compare has found had its place at the look already, and has only
 * changed its state since. */
bool look_had_place(const struct look *look, const struct ledger *ledger,
                    const struct lease *lease) CHECKED NONNULL;
