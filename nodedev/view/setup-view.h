/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-view: whether a card is as vgpu.conf declares it, as far as /sys, /proc and the record of
 * the last setup (setup-record.h) tell. Nothing is asked of a vendor's tool, so any command may
 * look, at any time.
 */

#pragma once

#include "actions/snapshot.h"

enum setup_view {
    SETUP_VIEW_UNSAID,      /* vgpu.conf declares nothing */
    SETUP_VIEW_DIFFERS,     /* a part differs */
    SETUP_VIEW_AS_DECLARED, /* all parts are as declared */
    SETUP_VIEW_UNKNOWN, /* no part is seen to differ, and a tool would have to tell the others */
};

/* The words for people: "" if nothing is declared, NULL if it is not known. */
extern const char *const setup_view_words[];

/* Judges a card. If it differs, `why` gets the first part that does, in the order in which parts
 * are made, as in "has 0 virtual functions, and not 16". */
enum setup_view setup_view_judge(const struct host *host, const struct policy_gpu *said,
                                 const struct inventory *inventory, char *why, size_t size) NONNULL;
