/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * exact-vgpus: what has to change so that a domain asks for exactly the vGPUs of a wish. A second
 * call changes nothing.
 *
 * A vGPU is as wished if its <vgpu:device> says just what the options say. Its alias and its device
 * may be any. All other vGPUs that the XML asks for are too many; a vGPU that only vgpu.conf makes
 * one is none of them.
 */

#pragma once

#include "attach/wish.h"
#include "libvirt/domain-source.h"

struct exact_vgpus {
    unsigned missing;      /* how many are to be added */
    struct words too_many; /* those that are to go: an alias each, or a source */
};

/* Reads the one definition that is meant. -errno with a line in error. The caller clears ret. */
int exact_vgpus_find(const struct domain_source *source, const struct wish *wish,
                     struct exact_vgpus *ret, struct error *error) CHECKED NONNULL;
void exact_vgpus_clear(struct exact_vgpus *exact) NONNULL;
