/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * card-memory: what a card was set up for, as far as anything remembers it: a boot, or a reload of
 * its driver, takes most of that away.
 *
 * The unit that enables its virtual functions outlives a boot, and so does vgpu.conf, which says
 * what types it may have. A driver's reload leaves the ledger as well, with the types of the vGPUs
 * that were kept for a guest's next start.
 */

#pragma once

#include "doctor/diagnosis.h"
#include "view/card.h"

struct card_memory {
    bool is_for_boot;        /* its virtual functions are to be enabled at boot */
    char instance[64];       /* a type of GPU instances (MIG), if it is to have no other; "": it is
                                not known to be partitioned */
    char says_instance[320]; /* who says that: "/etc/libvirt-vgpu/vgpu.conf:3" */
    const struct lease *sizes[2]; /* kept at the same time, of different frame buffer
                                     sizes; NULL: none are known */
};

void card_memory_read(const struct diagnosis *diagnosis, const struct card *card,
                      struct card_memory *ret) NONNULL;

/* Whether anything says that its functions are to be there. */
bool card_memory_has_functions(const struct card_memory *memory) CHECKED NONNULL;
