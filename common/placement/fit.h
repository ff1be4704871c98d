/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fit: whether one GPU can take one type for one demand.
 *
 * First what policy and request say of each parent (constraints.h), then the room of the GPU over
 * those parents that may be used (gpu-room.h), less what is to stay free. Pure.
 */

#pragma once

#include "placement/rooms.h"

/* Where a vGPU would go, and how full the GPU is. */
struct fit {
    size_t parent;
    size_t places;      /* parents that would do */
    size_t used, total; /* vGPUs; total: with those of this type that there may be room for */
    struct bounds left; /* how many a start can have: without what is to stay free */
};

/* By everything. Unless a rule speaks against it, ret says how full the GPU is; if it is good, also
 * the parent: the first free one. */
enum reason fit_judge(const struct rooms *rooms, const struct demand *demand, size_t gpu,
                      size_t type, struct fit *ret) CHECKED NONNULL;
