/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fate: what becomes of a lease. One table answers that for a start, a release, reconcile, reap,
 * and for a domain that needs the place. The table is asked again when a removal was tried. It is
 * pure: what the host says of a lease is gathered before, as facts.
 *
 * Between prepare and QEMU's start there is no process, no status file and no open device. So a
 * slow start looks like a leak. Therefore a lease is left alone while its daemon lives and has not
 * yet called the release that it owes. A lease is left alone too if not enough is known.
 *
 * An example: web01 is starting. prepare has made its device, and QEMU does not run yet. A
 * reconcile sees no guest, and a device that is closed. It leaves the lease, because libvirtd lives
 * and calls `release` if the start fails. If libvirtd has ended too, it removes the device.
 */

#pragma once

#include "lease/look.h"

/* Why somebody asks. */
enum fate_occasion {
    OCCASION_START, /* the lease's domain starts; it does not run yet, and nobody uses the device */
    OCCASION_RELEASE,   /* libvirt says that the lease's domain has ended */
    OCCASION_RECONCILE, /* all leases are checked; no event has named this one */
    OCCASION_ROOM,      /* another domain, or this one for another device, needs the place */
    OCCASION_REAP,      /* an administrator wants it removed unless somebody needs it */
};

/* What is known of a lease, as bits. */
enum {
    FACT_CLAIMED = 1 << 0,       /* another process is at work on it */
    FACT_DAEMON = 1 << 1,        /* its daemon lives */
    FACT_GUEST = 1 << 2,         /* its guest runs and has the device */
    FACT_OTHER_GUEST = 1 << 3,   /* another guest runs and has the device */
    FACT_GUEST_WITHOUT = 1 << 4, /* its guest runs, and does not have the device */
    FACT_UNREADABLE = 1 << 5,    /* its guest has a status file that could not be read */
    FACT_ABSENT = 1 << 6,        /* nothing is left of the device */
    FACT_TRANSIENT = 1 << 7,     /* the device is being made or removed */
    FACT_RIGHT = 1 << 8,         /* the device is there, and of the lease's type */
    FACT_MADE = 1 << 9,          /* we made the device */
    FACT_TO_KEEP = 1 << 10,      /* the device is to be kept for its domain's next start */
    FACT_LATE = 1 << 11,    /* it has been reserved for longer than a migration takes to arrive */
    FACT_OWN = 1 << 12,     /* OCCASION_ROOM: the lease is of the domain that needs the place */
    FACT_LISTED = 1 << 13,  /* OCCASION_START: the inventory shows the device on its parent */
    FACT_NAMED = 1 << 14,   /* OCCASION_START: a demand names the device */
    FACT_WANTED = 1 << 15,  /* OCCASION_START: that demand wants the device as it is */
    FACT_ENDED = 1 << 16,   /* the marks say that its guest has ended (marks.h) */
    FACT_UNSEEN = 1 << 17,  /* nobody has looked at its device since the lease changed */
    FACT_UNASKED = 1 << 18, /* the guests were last read before its guest or its daemon ended */
    FACT_UNKNOWN = 1 << 19, /* its card's driver does not answer */

    /* A removal was tried. The device may be in use, the kernel may have refused, or no time was
     * left. People are told which, but the lease's fate is the same. A device that is half removed
     * is transient. */
    FACT_TRIED = 1 << 20,
    FACT_WRITTEN = 1 << 21, /* the kernel was told to remove it, and has not refused */
    FACT_SILENT = 1 << 22,  /* the driver did not return: a writer is still at work on it */
    FACT_LOST = 1 << 23,    /* somebody else has the lease now, or there is none */
};

struct fate_facts {
    enum lease_state state; /* after a removal: the state before it */
    unsigned bits;
    const char *unreadable; /* why its guest's status file could not be read; "" if it could */
};

enum fate {
    FATE_LEAVE,  /* it stays as it is: somebody has it, or not enough is known */
    FATE_FORGET, /* the lease goes; nothing is left of the device, or it is not ours to remove */
    FATE_KEEP,   /* the device stays for the domain's next start, and the lease says so */
    FATE_REMOVE, /* the device goes, once it is proved that nobody has it open */
    FATE_WAIT,   /* somebody is at work on it, and the asker has to wait for that */
    FATE_REUSE,  /* the device is there, as the start wants it */

    /* After a removal: FATE_LEAVE, or */
    FATE_REMOVED, /* nothing is left of the device: the lease goes */
    FATE_RESTORE, /* the lease is what it was before, under a new number */
    FATE_LATER,   /* it is leaving or removing, under a new number, for the next process */
};

/* *why is a phrase for people about the device, as "its guest runs". It lives as long as the
 * facts. */
enum fate fate_judge(enum fate_occasion occasion, const struct fate_facts *facts,
                     const char **why) CHECKED NONNULL;

/* Gathers the facts that do not depend on the occasion. The ledger is the one that is decided
 * about. The facts borrow from the look. */
struct fate_facts
fate_gather(const struct statedir *statedir, const struct look *look, const struct ledger *ledger,
            const struct lease *lease) CHECKED NONNULL;

/* The bit for what was seen of a lease's device; 0: it is there, and of another type. */
unsigned
fate_of_device(const struct look_device *device, const struct lease *lease) CHECKED NONNULL;

/*
 * Drops the links of whole cards that count no more (whole-card.h) from a ledger that was read
 * after the look. If the state directory is locked, the links are removed there, too.
 *
 * A link counts until the guest's `release`. If that does not come, it counts
 *
 *     until its daemon is dead, and no status file of libvirt's names the card; or
 *     until the guest has run, and its status file does not name the card any more.
 *
 * The daemon and the mark must have been read before the status files, because a guest that was
 * only starting then has no file yet. If a file could not be read, the link counts.
 *
 * An example: web01 runs with 0000:18:00.0, and somebody takes the card out of it. libvirt runs no
 * hook for that. The next start that needs the card reads web01's status file, and the link counts
 * no more.
 */
void fate_sweep_cards(const struct statedir *statedir, const struct look *look,
                      struct ledger *ledger) NONNULL;
