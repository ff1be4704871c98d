/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy-check: what a configuration says without a fault, and to no effect on this host: GPUs and
 * types that are not here, classes that nothing here can serve, quotas and limits of such.
 */

#pragma once

#include "cli/report.h"
#include "device/inventory.h"
#include "policy/policy.h"
#include "policy/setting-trace.h"

/* Warns of each, at the place where it was read. The inventory is to hold all types. */
void policy_check(const struct policy *policy, const struct setting_trace *trace,
                  const struct inventory *inventory, struct report *report) NONNULL;
