/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy-check: finds what a configuration says correctly but without effect on this host. Examples
 * are GPUs and types that are not here, classes that nothing here can serve, and their quotas and
 * limits. It also finds profiles that no driver takes, and figures that NVIDIA's own table
 * contradicts (device/nvidia-table.h).
 */

#pragma once

#include "cli/finding.h"
#include "device/inventory.h"
#include "policy/policy.h"
#include "policy/setting-trace.h"

/* Reports profiles that their cards' driver would take on no host. No card offers these as
 * types. */
void policy_check_profiles(const struct policy *policy, const struct setting_trace *trace,
                           struct findings *found) NONNULL;

/* Warns of each of these, at the place where it was read. The inventory must hold all types. */
void policy_check(const struct policy *policy, const struct setting_trace *trace,
                  const struct inventory *inventory, struct findings *found) NONNULL;

/*
 * Warns of each figure of max_instances that NVIDIA's table contradicts, and of a table that is
 * there and cannot be read. An administrator writes max_instances for cards whose driver does not
 * tell how many vGPUs it makes. The table tells it, too. Where the driver tells it, neither counts.
 */
void policy_check_table(const struct host *host, const struct policy *policy,
                        const struct inventory *inventory, struct findings *found) NONNULL;
