/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-view: whether a card is as vgpu.conf declares it, as far as /sys, /proc and the record of
 * the last setup (setup-record.h) tell. Nothing is asked of a vendor's tool, so any command may
 * look, at any time.
 */

#pragma once

#include "actions/snapshot.h"

#include <time.h>

enum setup_view {
    SETUP_VIEW_UNSAID,      /* vgpu.conf declares nothing */
    SETUP_VIEW_DIFFERS,     /* a part differs */
    SETUP_VIEW_AS_DECLARED, /* all parts are as declared */
    SETUP_VIEW_SEEN,        /* no part is seen to differ, and the last setup saw all as declared */
    SETUP_VIEW_UNKNOWN, /* no part is seen to differ, and a tool would have to tell the others */
};

struct setup_judgment {
    enum setup_view view;
    /* SETUP_VIEW_DIFFERS: the first part that does, in the order in which parts are made, as in
     * "has 0 virtual functions, and not 16". */
    char why[128];
    time_t seen; /* SETUP_VIEW_SEEN: when, in seconds since 1970 */
};

/* Judges a card. */
struct setup_judgment setup_view_judge(const struct host *host, const struct policy_gpu *said,
                                       const struct inventory *inventory) NONNULL;

/* Writes a judgment in words: "" if nothing is declared. Returns NULL if it is not known. */
const char *
setup_view_tell(const struct setup_judgment *judgment, char *ret, size_t size) CHECKED NONNULL;
