/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-view: whether a card is as vgpu.conf declares it, as far as /sys, /proc and the record of
 * the last setup tell. Nothing is asked of a vendor's tool, so any command may look, at any time.
 *
 * Only a vendor's tool tells GPU instances, sizes and schedulers, and only 'vgpuctl setup' asks it.
 * So setup remembers that a card was seen to have those that vgpu.conf declares. The record is a
 * link in the state directory, which a boot empties:
 *
 *     /run/libvirt-vgpu/setup/0000:18:00.0 -> 13846245702389561427-95
 *
 * The second number says when, in seconds since the boot. The first is a hash of the declaration,
 * of the card's virtual functions, and of the scheduler in its driver's parameters. Enabling
 * functions takes all of this away, and the kernel gives functions that are enabled anew another
 * number. So the record counts only for the declaration, the functions and the parameters of that
 * time. A change that NVIDIA's tools make to the rest alone is not seen. So people are told the
 * time, too. A capture does not have the kernel's number, so there no record counts.
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

/* Remember that the card was seen to be as declared, and forget it. What cannot be recorded is not
 * remembered. */
void setup_view_remember(const struct host *host, const struct policy_gpu *said) NONNULL;
void setup_view_forget(const struct host *host, const struct policy_gpu *said) NONNULL;
