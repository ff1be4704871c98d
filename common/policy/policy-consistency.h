/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy-consistency: faults of a configuration that no single key has: a name that is there twice,
 * a class that nobody defines, a pool without functions. Pure. nodedev/check/policy-check.h
 * compares a configuration with the host.
 */

#pragma once

#include "base/error.h"
#include "policy/policy.h"

/* Adds each fault to error as "file:line: message". 0, or -EINVAL if there is one. */
int policy_consistency_check(const struct policy *policy, struct error *error) CHECKED NONNULL;
