/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * feasibility: whether a host could ever meet demands, all of them together, however full it is
 * today. Pure.
 *
 * It is for callers that must answer before a start is decided: for a guest that arrives, a
 * definition, a configuration. The answer is "yes" if the placement says yes now. Else the
 * placement is asked again, for an emptied host. That host has only the devices that the domain
 * itself runs with, and each GPU offers the most that it could. If something is not known, the
 * answer is not "no".
 *
 * An example: the only GPU is full, with 16 T4-1B of other guests. A guest with one T4-16Q could be
 * met on the emptied GPU: yes. A guest with two could not: no. If the driver does not answer, both
 * are unknown.
 */

#pragma once

#include "placement/problem.h"

enum feasibility {
    FEASIBILITY_YES,
    FEASIBILITY_UNKNOWN, /* error says what is not known */
    FEASIBILITY_NO,
};

/*
 * `waiting`: a GPU of the configuration may still come up. choices gets one place of this host for
 * each demand. Free places come first, and no virtual function comes twice. If the driver does not
 * list a type for the demand now, the type is NULL. If nothing is known at all, the parent is NULL
 * too. error says why the answer is "no", or what is not known. The class of error is ERROR_NEVER,
 * or that of the refusal.
 */
enum feasibility
feasibility_judge(const struct placement_problem *problem, bool waiting,
                  struct placement_choice *choices, struct error *error) CHECKED NONNULL;

/* The same for a caller who wants no places. */
enum feasibility feasibility_of(const struct placement_problem *problem, bool waiting,
                                struct error *error) CHECKED NONNULL;

/* After FEASIBILITY_NO: whether vgpu.conf alone says so, because it disables GPUs. */
bool feasibility_is_disabled(const struct placement_problem *problem, bool waiting) CHECKED NONNULL;
