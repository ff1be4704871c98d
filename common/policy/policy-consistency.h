/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy-consistency: faults of a configuration that no single key has: a name that is there twice,
 * a class that nobody defines, a pool without functions. Pure; what the host has is another matter
 * (nodedev/check/policy-check.h).
 */

#pragma once

#include "base/error.h"
#include "policy/policy.h"

/* Adds each to error as "file:line: message". 0, or -EINVAL if there is one. */
int policy_consistency_check(const struct policy *policy, struct error *error) CHECKED NONNULL;
