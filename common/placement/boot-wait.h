/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * boot-wait: whether the host is still coming up, so that a GPU may not be there yet.
 *
 * libvirt starts guests as soon as it runs, and a GPU's driver may register later. So for some time
 * after the kernel booted, a start waits for a GPU that the configuration names and that offers
 * nothing yet. That time ends at one moment for all guests. On a host that is up no start waits.
 */

#pragma once

#include "device/inventory.h"
#include "policy/policy.h"

/* Whether a GPU of the policy still has to come: it is enabled there, not drained, and offers no
 * types. */
bool boot_wait_misses(const struct policy_gpu *gpu, const struct names *drained,
                      const struct inventory *inventory) CHECKED NONNULL;

/* Milliseconds until the policy's boot_wait has passed since the kernel booted, `uptime`
 * milliseconds ago. 0: it has passed, or no GPU is missing. */
unsigned boot_wait_left(const struct policy *policy, const struct names *drained,
                        const struct inventory *inventory, uint64_t uptime) CHECKED NONNULL;
