/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy-load: reads the configuration files into a policy, and checks them against each other.
 */

#pragma once

#include "base/error.h"
#include "policy/policy.h"
#include "policy/setting-trace.h"

/*
 * Reads the configuration of a host. On failure (-EINVAL, or the errno of a file that could not be
 * read) all faults are in error, and ret holds the defaults: release and reconnect go on with them.
 * The caller clears ret in every case.
 */
int policy_load(const struct host *host, struct policy *ret, struct error *error) CHECKED NONNULL;

/* The same, and where each setting was read. The caller clears the trace, too. */
int policy_load_traced(const struct host *host, struct policy *ret, struct setting_trace *trace,
                       struct error *error) CHECKED NONNULL;

/* Adds the names in conf.d that are no drop-ins, and are not read. */
void policy_passed_over(const struct host *host, struct words *ret) NONNULL;
