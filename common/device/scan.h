/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * scan: reads the GPUs, parents and vGPUs in /sys into an inventory.
 */

#pragma once

#include "device/inventory.h"
#include "policy/policy.h"

/*
 * Reads all GPUs, parents and vGPUs, of every interface. A GPU, parent or attribute that cannot be
 * read is left out: it may vanish while we look. The function fails only if a list of all GPUs,
 * parents or vGPUs cannot be read. The caller clears ret. policy has the pools and profiles; NULL:
 * of their functions only those are found that somebody has.
 */
int scan_host(const struct host *host, const struct policy *policy,
              const struct inventory_filter *filter, struct inventory *ret, struct error *error)
    __attribute__((nonnull(1, 3, 4, 5))) CHECKED;
