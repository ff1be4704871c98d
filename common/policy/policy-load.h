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
 * read) error has all faults. ret has the defaults then, with which release and reconnect go on.
 * The caller clears ret in every case.
 */
int policy_load(const struct host *host, struct policy *ret, struct error *error) CHECKED NONNULL;

/* The same. The trace says where each setting was read. The caller clears it, too. */
int policy_load_traced(const struct host *host, struct policy *ret, struct setting_trace *trace,
                       struct error *error) CHECKED NONNULL;

/* Adds the names in conf.d that are not read, because they are no drop-ins. */
void policy_passed_over(const struct host *host, struct words *ret) NONNULL;
