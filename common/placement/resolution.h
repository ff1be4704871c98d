/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * resolution: which hostdevs of a domain are ours, and what each is to be. Pure.
 *
 * By precedence: the annotation, the policy's `domains`, the hostdev alias ua-vgpu-CLASS or
 * ua-vgpu-CLASS-N, and, for mediated devices, the policy's default_class. A hostdev that none of
 * these names is not ours.
 */

#pragma once

#include "placement/demand.h"

/*
 * Makes a demand of each hostdev that is ours. -EINVAL, with the hostdev and the mistake in error:
 * a class is unknown, or the policy does not allow the request. The request must have passed
 * request_check. The caller clears ret.
 */
int resolution_make(const struct request *request, const struct policy *policy, struct demands *ret,
                    struct error *error) CHECKED NONNULL;

/* Whether the XML itself asks us for something, rightly or wrongly worded. */
bool resolution_is_asked(const struct request *request) CHECKED NONNULL;
