/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * constraints: whether policy and request let a demand have a type on a parent, whatever room there
 * is.
 *
 * In this order: what kind of device its hostdev is; the place that its hostdev names, or that it
 * is not to name; the parent that the request names; the GPU's `enabled`, whether it is drained
 * or being proved, its `types`; traits; NUMA nodes; quotas. Pure.
 */

#pragma once

#include "placement/rooms.h"

/* A type that the driver does not list just now. */
#define CONSTRAINTS_ANY_TYPE SIZE_MAX

/* REASON_NONE, or the first rule that speaks against it. */
enum reason constraints_judge(const struct rooms *rooms, const struct demand *demand, size_t gpu,
                              size_t parent, size_t type) CHECKED NONNULL;

/* Whether each profile that policy lets a GPU have says how much of the GPU's memory it needs, and
 * there is one: then no guest depends on the memory that its function has already. */
bool constraints_bring_memory(const struct policy *policy,
                              const struct inventory_gpu *card) CHECKED NONNULL;

/* How long the first trait is that a GPU does not meet, and where it stands among those that are
 * asked for, with its '!' if it is forbidden; 0: it meets them all. */
size_t constraints_unmet_trait(const struct rooms *rooms, const struct demand *demand, size_t gpu,
                               const char **ret) CHECKED NONNULL;

/* The quota that one more of a type would exceed, or NULL; *used: how many there are. */
const struct policy_quota *
constraints_exceeded_quota(const struct rooms *rooms, const struct inventory_type *type,
                           size_t *used) NONNULL;
