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

/* Removes a tag: 0; -ENOENT: there is none; or another -errno. */
int tag_remove(const struct host *host, const struct name *tag) CHECKED NONNULL;

/* --- the two tags of a function under the xe driver ------------------------------------------- */

/*
 * They say who has the function. ADDRESS.former has the function's former numbers. From then on the
 * function is a vGPU and belongs to nobody else. ADDRESS.type has its type, and is written after
 * all numbers. Without this tag the vGPU is half made, or half removed.
 *
 * ADDRESS.former names a process, with its start, in two cases. The process takes memory back from
 * a function that is no vGPU, so nobody else gets the function. Or the process makes a vGPU, and
 * has not yet read the former numbers.
 */

/* The names of both tags. */
struct name xe_tag_former(const struct name *function) CHECKED NONNULL;
struct name xe_tag_type(const struct name *function) CHECKED NONNULL;

/* Whether a function is a vGPU, and its type; "" if it is half made. 0, -ENOENT or -errno; -EBUSY
 * while its memory is taken back. */
int xe_tag_read(const struct host *host, const struct name *function,
                struct name *type) CHECKED NONNULL;

/* Whether a former tag says that memory is taken back. */
bool xe_tag_is_taking_back(const struct name *former) CHECKED NONNULL;

/* What a former tag says while this process makes a vGPU. */
struct name xe_tag_making(const struct host *host) CHECKED NONNULL;

/* Leaves the former tag of a process that takes memory back. 1; 0: somebody has the function; or
 * -errno. The tag of a process that was killed at this work becomes ours. */
int xe_tag_take_back(const struct host *host, const struct name *function) CHECKED NONNULL;
