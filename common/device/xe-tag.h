/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * xe-tag: who has a function of a card under the xe driver, by two tags (tag.h).
 *
 * ADDRESS.former has the function's former numbers. From then on the function is a vGPU and belongs
 * to nobody else. ADDRESS.type has its type, and is written after all numbers. Without this tag the
 * vGPU is half made, or half removed.
 *
 * ADDRESS.former names a process, with its start, in two cases. The process takes memory back from
 * a function that is no vGPU, so nobody else gets the function. Or the process makes a vGPU, and
 * has not yet read the former numbers.
 */

#pragma once

#include "base/host.h"

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
