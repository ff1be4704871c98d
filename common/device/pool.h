/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pool: PCI functions without types, which are given out as they are. What can be done with them
 * stands in their row of vgpu_interfaces (vgpu.h).
 */

#pragma once

#include "device/vgpu.h"

/* Whether a function is a pool's. Its pool may have gone from the configuration while a guest has
 * the function. policy may be NULL. */
bool pool_has(const struct host *host, const struct policy *policy,
              const struct name *function) CHECKED __attribute__((nonnull(1, 3)));
