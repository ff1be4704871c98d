/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * start: what a start of a domain does next. One table says it, and it is pure.
 *
 * A start looks at the host without the lock, and then decides with the lock held. It gathers facts
 * and asks this table. Some facts cost much, so the table asks for them only where they matter:
 * START_ASK_PLACES and START_ASK_OTHERS. Any other step ends the decision.
 *
 *     assign.c     carries the steps out
 *     dry-run.c    carries them out on a copy, for those who only ask
 */

#pragma once

#include "base/error.h"

#include <stdbool.h>

/* What is known, as bits. */
enum {
    /* What the call has done. */
    START_MADE = 1 << 0,        /* all vGPUs are made, and their leases pending */
    START_HANDED_OVER = 1 << 1, /* the running guest has its new vGPU */
    START_HELD = 1 << 2,        /* the ledger says that the domain has them */
    START_RUNNING = 1 << 3,     /* the domain runs, and gets one more vGPU */
    START_FAILED = 1 << 4,      /* something went wrong that no other step mends */

    /* The domain's own leases. */
    START_OWN_BUSY = 1 << 5,   /* somebody is at work on one, or its driver does not answer */
    START_OWN_SILENT = 1 << 6, /* the reason is the driver */
    START_OWN_GOES = 1 << 7,   /* the domain does not want one as it is */

    /* Places for the demands. */
    START_ASKED_PLACES = 1 << 8,
    START_PLACED = 1 << 9, /* there is one for each */
    START_NEVER = 1 << 10, /* no GPU would take them, however empty */
    START_TAKEN = 1 << 11, /* a hostdev names a device that is somebody else's, or something else */
    START_UNDECIDED = 1 << 12, /* the search takes too long */

    /* Other facts. */
    START_SAW_OTHERS = 1 << 13,   /* the look included the leases of others */
    START_ASKED_OTHERS = 1 << 14, /* it was asked whether a vGPU of others could make room */
    START_OTHERS_GO = 1 << 15,    /* such a vGPU is claimed, or its lease was forgotten */
    START_OUTDATED = 1 << 16,     /* leases that changed since the look may cause the refusal */
    START_HASTY = 1 << 17,        /* a card did not answer, and there is time to wait for it */
    START_BOOTING = 1 << 18,      /* a GPU of vgpu.conf may still come up */
    START_JUST_REMOVED = 1 << 19, /* a vGPU was just removed: its driver's figures may not show that
                                     yet (recent-removal.h) */
};

enum start_step {
    START_ASK_PLACES, /* find out whether there is a place for each demand */
    START_ASK_OTHERS, /* find out whether something of others could make room, and claim it */

    /* These change nothing in the ledger. */
    START_LOOK,           /* look again */
    START_LOOK_AT_OTHERS, /* look again, also at the leases of others */
    START_LOOK_PATIENTLY, /* look again, and wait longer for cards that do not answer */
    START_PAUSE,          /* wait a moment, and look again */
    START_WAIT_FOR_BOOT,  /* wait longer for a GPU that may still come up */
    START_REFUSE,

    /* These are recorded with the decision, and carried out without the lock. */
    START_REMOVE_OWN,
    START_REMOVE_OTHERS,
    START_MAKE,

    START_HAND_OVER,
    START_HOLD,
    START_DONE,
};

enum start_step start_next(unsigned facts) CHECKED;

/* The fact for a refusal of placement_find; 0: there is no room now. */
unsigned start_refusal(enum error_class class) CHECKED;

/* Whether a step is recorded in the ledger with the decision. */
bool start_is_recorded(enum start_step step) CHECKED;
