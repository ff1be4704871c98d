/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * outlook: whether a host could ever meet demands, and where, however full it is today.
 *
 * For those who must say something before a start may be refused: a guest that arrives, a
 * definition, a configuration. Pure.
 */

#pragma once

#include "placement/placement.h"

/*
 * Whatever the quotas are used for as well: 0, or the errors of placement_find. The choices, one
 * per demand, are the first such places, rather free ones, and each another virtual function; of a
 * type that its driver does not list just now the type is FEASIBILITY_NO_TYPE.
 */
int feasibility_find(const struct placement_problem *problem, struct placement_choice *choices,
                     struct error *error) CHECKED NONNULL;
#define FEASIBILITY_NO_TYPE SIZE_MAX
