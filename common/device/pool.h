/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pool: PCI functions without types, which are given out as they are. Their row of vgpu_built_in
 * says what can be done with them (vgpu.h).
 */

#pragma once

#include "device/vgpu.h"

/* Whether a function belongs to a pool. The configuration may have lost the pool while a guest has
 * the function. policy may be NULL. */
bool pool_has(const struct host *host, const struct policy *policy,
              const struct name *function) CHECKED __attribute__((nonnull(1, 3)));
