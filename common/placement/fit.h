/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fit: whether one GPU can take one type for one demand.
 *
 * First what policy and request say (constraints.h), then the capacity, counted per GPU and not per
 * virtual function. Pure.
 */

#pragma once

#include "placement/capacity.h"

/* Where a vGPU would go, and how full the GPU is. */
struct fit {
    size_t parent;
    size_t used, total; /* total: of places for this type */
    size_t room;        /* of those how many a start can have: not what is reserved */
};

/* By everything. Unless a rule speaks against it, ret says how full the GPU is; if it is good, also
 * the parent: the first free one. */
enum reason fit_judge(const struct capacity *capacity, const struct demand *demand, size_t gpu,
                      size_t type, struct fit *ret) CHECKED NONNULL;
