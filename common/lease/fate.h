/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fate: what becomes of a lease. One table, which everybody asks: a start, a release, reconcile,
 * reap, and whoever needs the place; and again when a removal was tried, with what came of it.
 * Pure: facts.h gathers what it is to know.
 *
 * Between prepare and QEMU's start there is no process, no status file and no open device, so a
 * slow start looks like a leak. Therefore a lease is left alone while its daemon lives, which owes
 * us a release, and has not called it yet; and what cannot be told is left alone as well.
 */

#pragma once

#include "lease/ledger.h"

/* Why somebody asks. */
enum fate_occasion {
    FATE_START,     /* the lease's domain starts, so it runs not yet, and nobody else uses it */
    FATE_RELEASE,   /* libvirt says that the lease's domain has ended */
    FATE_RECONCILE, /* nobody has said anything about it */
    FATE_ROOM,      /* another domain, or this one for another device, needs the place */
    FATE_REAP,      /* an administrator wants it removed unless somebody needs it */
};

/* What is known of a lease, as bits. */
enum {
    FATE_CLAIMED = 1 << 0,       /* another process is at work on it */
    FATE_DAEMON = 1 << 1,        /* its daemon lives */
    FATE_GUEST = 1 << 2,         /* its guest runs and has the device */
    FATE_OTHER_GUEST = 1 << 3,   /* another guest runs and has it */
    FATE_GUEST_WITHOUT = 1 << 4, /* its guest runs, and does not have it */
    FATE_UNREADABLE = 1 << 5,    /* its guest's status file is there, and could not be read */
    FATE_ABSENT = 1 << 6,        /* nothing is left of the device */
    FATE_TRANSIENT = 1 << 7,     /* it is being made or removed */
    FATE_RIGHT = 1 << 8,         /* it is there and of the lease's type */
    FATE_MADE = 1 << 9,          /* we made it */
    FATE_TO_KEEP = 1 << 10,      /* it is to be kept for its domain's next start */
    FATE_LATE = 1 << 11,         /* it was reserved for longer than a migration takes to arrive */
    FATE_OWN = 1 << 12,          /* FATE_ROOM: it is of the domain itself that needs the place */
    FATE_LISTED = 1 << 13,       /* FATE_START: the inventory shows the device on its parent */
    FATE_NAMED = 1 << 14,        /* FATE_START: a demand names the device */
    FATE_WANTED = 1 << 15,       /* FATE_START: and would have it as it is */
    FATE_ENDED = 1 << 16,        /* the marks say that its guest has ended (marks.h) */
    FATE_UNSEEN = 1 << 17,       /* nobody has looked at its device since it changed */
    FATE_UNASKED = 1 << 18,      /* nobody has looked whether its guest runs since its end */
    FATE_UNKNOWN = 1 << 19,      /* the driver of its card does not answer */

    /* Its removal was tried. People are told whether it is in use, the kernel refused, or no time
     * was left; what becomes of the lease is the same. What is half removed is transient. */
    FATE_TRIED = 1 << 20,
    FATE_WRITTEN = 1 << 21, /* the kernel was told to remove it, and has not said no */
    FATE_SILENT = 1 << 22,  /* its driver did not come back: a writer is still at work on it */
    FATE_LOST = 1 << 23,    /* somebody else has its lease by now, or it has none */
};

struct fate_facts {
    enum lease_state state; /* of a removal: what it was before that */
    unsigned bits;
    const char *unreadable; /* why its guest's status file could not be read; "" if it could */
};

enum fate {
    FATE_LEAVE,  /* it stays as it is: it is somebody's, or it cannot be told */
    FATE_FORGET, /* the lease goes; nothing is left of the device, or it is not ours to remove */
    FATE_KEEP,   /* the device stays for the domain's next start, and the lease says so */
    FATE_REMOVE, /* the device goes, once it is proved that nobody has it open */
    FATE_WAIT,   /* somebody is at work on it, and who asks has to wait for that */
    FATE_REUSE,  /* the device is there, just as the start wants it */

    /* After a removal: FATE_LEAVE, or */
    FATE_REMOVED, /* nothing is left of the device: the lease goes */
    FATE_RESTORE, /* the lease is what it was before, under a new number */
    FATE_LATER,   /* it is leaving or removing, under a new number: for whoever comes next */
};

/* *why is a phrase for people about the device, "its guest runs"; it lives as long as the facts. */
enum fate fate_judge(enum fate_occasion occasion, const struct fate_facts *facts,
                     const char **why) CHECKED NONNULL;
