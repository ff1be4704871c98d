/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * maxima: how many vGPUs of each type a GPU takes at most, as limits.
 *
 * Three sources say so. A driver tells it of its types (mdev's max_instance). The administrator
 * says it in vgpu.conf (max_instances) of types whose driver tells nothing. Else it follows from
 * sizes: the largest type has all of the frame buffer, if several sizes were seen.
 *
 * On a GPU that takes one frame buffer size at a time all vGPUs count against the maximum of a
 * type. On others, and for GPU instances (MIG), only vGPUs of that type count.
 *
 * A driver has a ceiling beside that: so many vGPUs of any sizes on a GPU, or on a GPU instance. It
 * binds types whose maximum the driver does not tell, whatever the administrator says.
 */

#pragma once

#include "device/inventory.h"
#include "policy/policy.h"

/* Adds the limits, once all types and vGPUs are known; and shows the administrator's maximum as
 * that of the type. policy may be NULL: then there is none. */
void
maxima_add(const struct policy *policy, struct inventory *inventory) __attribute__((nonnull(2)));
