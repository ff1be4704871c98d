/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fit: whether one GPU can take one type, by the terms of one demand.
 *
 * First constraints.h says what policy and request allow on each parent. Then gpu-room.h tells the
 * room of the GPU over the parents that may be used. The places that are to stay free are
 * subtracted. Pure.
 */

#pragma once

#include "placement/loads.h"
#include "placement/reason.h"

/* Where a vGPU would go, and how full the GPU is. */
struct fit {
    struct place place;
    size_t places;      /* parents that would do */
    size_t used, total; /* vGPUs; total: these, and those of the type that may still have room */
    struct bounds left; /* what a start can have: without places that stay free */
};

/* Judges the type's GPU by all rules. Unless one is against it, ret says how full the GPU is. If
 * the answer is REASON_NONE, ret also has the place, on the first free parent. */
enum reason fit_judge(const struct loads *loads, const struct demand_terms *terms,
                      const struct inventory_type *type, struct fit *ret) CHECKED NONNULL;

/* The same for a caller that knows the rules already: what constraints.h says of each parent. */
enum reason fit_judge_by(const struct loads *loads, const enum reason *rules,
                         const struct inventory_type *type, struct fit *ret) CHECKED NONNULL;
