/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy-check: what a configuration says without a fault, and to no effect on this host: GPUs and
 * types that are not here, classes that nothing here can serve, quotas and limits of such; and
 * profiles that no driver takes.
 */

#pragma once

#include "cli/report.h"
#include "device/inventory.h"
#include "policy/policy.h"
#include "policy/setting-trace.h"

/* Finds fault with profiles that the driver of their cards would not take as they are, on whatever
 * host: no card offers these as types. */
void policy_check_profiles(const struct policy *policy, const struct setting_trace *trace,
                           struct report *report) NONNULL;

/* Warns of each, at the place where it was read. The inventory is to hold all types. */
void policy_check(const struct policy *policy, const struct setting_trace *trace,
                  const struct inventory *inventory, struct report *report) NONNULL;
