/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * table-check: where vgpu.conf and NVIDIA's own table (device/nvidia-table.h) differ.
 *
 * An administrator writes max_instances for cards whose driver does not tell how many vGPUs it
 * makes. The table tells it, too. Where the driver tells it, neither counts.
 */

#pragma once

#include "cli/report.h"
#include "device/inventory.h"
#include "policy/policy.h"

/* Warns of each figure of max_instances that the table contradicts, and of a table that is there
 * and cannot be read. */
void table_check(const struct host *host, const struct policy *policy,
                 const struct inventory *inventory, struct report *report) NONNULL;
