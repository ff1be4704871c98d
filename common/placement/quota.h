/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * quota: how much of each quota other domains have used. Pure.
 */

#pragma once

#include "placement/problem.h"

/* Of each quota of the policy, vGPUs of other domains that count for it; SIZE_MAX: it does not bind
 * this domain. What is given away counts, and not what is on its way back or kept. */
void quota_count(const struct placement_problem *problem, size_t *used) NONNULL;
