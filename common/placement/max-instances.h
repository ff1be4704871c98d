/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * max-instances: how many vGPUs of a type a GPU takes where its driver does not tell.
 *
 * NVIDIA's vendor-specific VFIO tells no maximum; the administrator can (max_instances). It is a
 * courtesy to those who ask: without it the driver's own rejections are what limits.
 */

#pragma once

#include "device/inventory.h"
#include "policy/policy.h"

/* Fills in the maximum of types that have none. */
void max_instances_apply(const struct policy *policy, struct inventory *inventory) NONNULL;
