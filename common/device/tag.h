/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * tag: what we know of a PCI function and no driver tells, for example who has it.
 *
 * A tag is a symbolic link in /run/libvirt-vgpu/functions. So it is made and removed in one step,
 * and needs no descriptor. Like /run it is gone after a boot. It counts even if the function has
 * vanished: whoever has the lease removes the tag.
 */

#pragma once

#include "base/host.h"

/* Whether anybody has ever left a tag. */
bool tag_may_be(const struct host *host) CHECKED NONNULL;

/* What a tag says: 0; -ENOENT: there is none; or another -errno. */
int tag_read(const struct host *host, const struct name *tag, struct name *ret) CHECKED NONNULL;

/* Leaves a tag: 0; -EEXIST: there is one, whatever it says; or another -errno. */
int
tag_put(const struct host *host, const struct name *tag, const struct name *says) CHECKED NONNULL;

/* Changes in one step what a tag says. Only for the process that left the tag. 0 or -errno. */
int tag_change(const struct host *host, const struct name *tag,
               const struct name *says) CHECKED NONNULL;

/* Changes in one step a tag whose process has ended: 0; -ESTALE: the tag does not say `said` any
 * more, or somebody else changes a tag just now; or another -errno. Of several processes that do
 * this at once, one gets the tag. */
int tag_inherit(const struct host *host, const struct name *tag, const struct name *said,
                const struct name *says) CHECKED NONNULL;

/* Removes a tag: 0; -ENOENT: there is none; or another -errno. */
int tag_remove(const struct host *host, const struct name *tag) CHECKED NONNULL;
