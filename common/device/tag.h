/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * tag: what we know of a PCI function and no driver tells, as who has it.
 *
 * A tag is a symbolic link in /run/libvirt-vgpu/functions, so that it is made and removed at once
 * and needs no descriptor. Like /run it is gone after a boot. It counts even if the function has
 * vanished: whoever has the lease takes the tag away.
 */

#pragma once

#include "base/host.h"

/* Whether anybody has ever left a tag. */
bool tag_may_be(const struct host *host) CHECKED NONNULL;

/* What a tag says: 0; -ENOENT if there is none, or -errno. */
int tag_read(const struct host *host, const struct name *tag, struct name *ret) CHECKED NONNULL;

/* Leaves one: 0; -EEXIST if there is one, whatever it says, or -errno. */
int
tag_put(const struct host *host, const struct name *tag, const struct name *says) CHECKED NONNULL;

/* 0; -ENOENT or another -errno. */
int tag_remove(const struct host *host, const struct name *tag) CHECKED NONNULL;
