/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy-load: reads the configuration files into a policy, and checks what they say together.
 */

#pragma once

#include "base/error.h"
#include "policy/policy.h"

/*
 * Reads the configuration of a host. On failure (-EINVAL, or the errno of what could not be read)
 * every fault is in error and ret holds the defaults, so that those who must not be stopped by it
 * (release, reconnect) can go on. The caller clears ret in every case.
 */
int policy_load(const struct host *host, struct policy *ret, struct error *error) CHECKED NONNULL;
