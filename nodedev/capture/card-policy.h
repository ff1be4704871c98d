/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * card-policy: vgpu.conf as a public capture has it, written anew from the parsed policy.
 *
 * The text has only what finds cards and limits them: pools, profiles, max_instances, and the GPUs
 * without their traits. Names of pools and profiles are numbered: "pool-1". A pool has the
 * addresses of those functions that are here. Other words stay if the host knows them: types,
 * drivers, and names of parents.
 */

#pragma once

#include "device/inventory.h"
#include "policy/policy.h"
#include "policy/setting-trace.h"

/* Returns the text, which the caller frees. It changes policy and trace, which were loaded
 * together. */
char *card_policy_text(struct policy *policy, struct setting_trace *trace, const struct host *host,
                       const struct inventory *inventory) CHECKED NONNULL;

/* Returns lines for people in which pools and profiles have their numbers. The caller frees it. */
char *card_policy_remark(const struct policy *policy, const char *text) CHECKED NONNULL;
