/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * constraints: whether policy and request let a demand with these terms have a type on a parent,
 * without regard to room.
 *
 * The rules are tried in this order. First come the hostdev's: the kind of its device, and the
 * place that it names or must not name. Next comes the parent that the request names, and whether
 * the guest takes the card itself. Then come the GPU's: `enabled` and `types`, traits and NUMA
 * nodes. Then come the guest's other vGPUs, beside which the vendor may forbid the type. Last come
 * the reasons that pass: the GPU is drained, being proved, or taken by a guest itself, or a quota
 * is used up. If another day is asked about, only the quotas of these count. Pure.
 */

#pragma once

#include "placement/loads.h"
#include "placement/reason.h"

/* Returns REASON_NONE, or the first rule that forbids a place. The type may be NULL: a type that
 * the driver does not list now. */
enum reason constraints_judge(const struct loads *loads, const struct demand_terms *terms,
                              const struct place *place) CHECKED NONNULL;

/* The same without the rules that depend on what else the guest gets: constraints_unlike and
 * constraints_exceeded_quota. */
enum reason constraints_judge_fixed(const struct loads *loads, const struct demand_terms *terms,
                                    const struct place *place) CHECKED NONNULL;

/* Why a guest gets no new vGPU on a GPU today, as the ledger says: REASON_DRAINED, REASON_PROVED or
 * REASON_WHOLE; REASON_NONE: nothing is against it. guest: whose own card does not count here;
 * NULL: anybody's counts. passes_drain: a drain does not count. */
enum reason
constraints_closed(const struct ledger *ledger, const struct name *gpu, const struct name *guest,
                   bool passes_drain) CHECKED __attribute__((nonnull(1, 2)));

/* Whether the policy lets a GPU have profiles, and each of these profiles sets the memory of a
 * function. Then no guest depends on the memory that a function has already. */
bool constraints_bring_memory(const struct policy *policy,
                              const struct inventory_gpu *card) CHECKED NONNULL;

/* Finds the first demanded trait that a GPU does not meet. Returns the trait's length, including
 * its '!' if the trait is forbidden; *ret is the trait within the demand. Returns 0 if the GPU
 * meets them all. */
size_t constraints_unmet_trait(const struct loads *loads, const struct demand_terms *terms,
                               const struct inventory_gpu *gpu, const char **ret) CHECKED NONNULL;

/* Returns the vendor's rule that forbids a type beside one of the guest's other vGPUs, in words,
 * and the type of that one; else NULL. A vGPU that somebody else made for the guest counts with its
 * type of now. Another day it may have another type, so then it does not count. */
const char *constraints_unlike(const struct loads *loads, const struct inventory_type *type,
                               const struct inventory_type **other) NONNULL;

/* Returns the quota that one more vGPU of a type would exceed, or NULL. *used is the number of
 * vGPUs that count against the quota. */
const struct policy_quota *
constraints_exceeded_quota(const struct loads *loads, const struct inventory_type *type,
                           size_t *used) NONNULL;
