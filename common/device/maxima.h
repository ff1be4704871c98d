/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * maxima: the most vGPUs of each type that a GPU takes, as limits.
 *
 * There are four sources. A driver tells the maximum of its types (mdev's max_instance). For types
 * whose driver tells none, the administrator sets it in vgpu.conf (max_instances). Else a table of
 * the vendor says it (vendor.h). Else it is calculated from sizes: if all sizes are known, the
 * largest type has the whole frame buffer. The last two are never less than what is seen.
 *
 * If a GPU takes one frame buffer size at a time, all its vGPUs count against the maximum of a
 * type. On other GPUs, and for GPU instances (MIG), only vGPUs of that type count.
 *
 * vGPUs of several sizes share the frame buffer, which is a limit of its own. A GPU that takes one
 * size at a time has that limit only if its driver tells all sizes and how many fit. There the
 * limit counts for another day.
 *
 * A driver also has a ceiling: the most vGPUs of all sizes on a GPU, or on a GPU instance. It
 * applies to types whose maximum the driver does not tell, even if the administrator sets more. The
 * table of the vendor may say more, as it may be newer than this program.
 *
 * So each type has one answer, max and max_source (inventory.h): the least that any of these limits
 * leaves on an empty GPU. Everybody who asks for a maximum takes this answer.
 */

#pragma once

#include "device/inventory.h"
#include "policy/policy.h"

/* The administrator's figure for a type, by max_instances of vgpu.conf; NULL: there is none. Later
 * files override earlier ones. policy may be NULL. */
const struct policy_limit *
maxima_find_limit(const struct policy *policy, const struct inventory_type *type)
    __attribute__((nonnull(2)));

/* The words of enum limit_source, for people and programs. */
extern const char *const maxima_sources[];

/* Adds the limits. Call it when all types and vGPUs are known. It also sets the types'
 * maxima, each with its source. policy may be NULL. */
void
maxima_add(const struct policy *policy, struct inventory *inventory) __attribute__((nonnull(2)));
