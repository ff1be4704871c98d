/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * quota: how much of each quota other domains have used. Pure.
 */

#pragma once

#include "placement/problem.h"

/* For each quota of the policy, the number of other domains' vGPUs that count for it; SIZE_MAX: it
 * does not bind this domain. A lease counts if the domain has the vGPU, is getting it, or has the
 * place reserved. A lease that is kept or on its way back does not count. */
void quota_count(const struct placement_problem *problem, size_t *used) NONNULL;
