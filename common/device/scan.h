/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * scan: reads the GPUs, parents and vGPUs in /sys into an inventory.
 */

#pragma once

#include "device/inventory.h"

/*
 * Reads all GPUs, parents and vGPUs, of every interface. A GPU, parent or attribute that cannot be
 * read is left out: it may vanish while we look. Only -ENOMEM is an error. The caller clears ret.
 */
int scan_host(const struct host *host, const struct inventory_filter *filter, struct inventory *ret,
              struct error *error) CHECKED NONNULL;
