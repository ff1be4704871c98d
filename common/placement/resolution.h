/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * resolution: which hostdevs of a domain are ours, and what each is to be. Pure.
 *
 * By precedence: the annotation, the policy's `domains`, the hostdev alias ua-vgpu-CLASS or
 * ua-vgpu-CLASS-N, and of mediated devices the policy's default_class. A hostdev that none of these
 * names is not ours.
 */

#pragma once

#include "placement/demand.h"

/*
 * -EINVAL with the hostdev and what is wrong if a class is unknown or the policy does not allow
 * what is asked. The request must have passed request_check. The caller clears ret.
 */
int resolution_make(const struct request *request, const struct policy *policy, struct demands *ret,
                    struct error *error) CHECKED NONNULL;

/* Whether the XML itself asks us for something, in words that we understand or not. */
bool resolution_is_asked(const struct request *request) CHECKED NONNULL;
