/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * feasibility: whether a host could ever meet demands, all of them together, however full it is
 * today. Pure.
 *
 * For those who must say something before a start may be refused: a guest that arrives, a
 * definition, a configuration. "Yes" if the decision says yes now; else if it says so of the host
 * emptied of all but what the domain itself runs with, each GPU offering the most that it could.
 * Where that cannot be known it is no "no".
 */

#pragma once

#include "placement/problem.h"

enum feasibility {
    FEASIBILITY_YES,
    FEASIBILITY_UNKNOWN, /* and what is not known */
    FEASIBILITY_NO,
};

/*
 * `waiting`: a GPU of the configuration may still come up. The choices, one per demand, are places
 * of this host as it is, rather free ones than others', and each virtual function once; of a type
 * that its driver does not list just now the type is FEASIBILITY_NO_TYPE, and where nothing is
 * known at all the parent is FEASIBILITY_NO_PARENT. Why not, or what is not known, is a line in
 * error; its class is ERROR_NEVER or that of the refusal.
 */
enum feasibility
feasibility_judge(const struct placement_problem *problem, bool waiting,
                  struct placement_choice *choices, struct error *error) CHECKED NONNULL;
#define FEASIBILITY_NO_TYPE   SIZE_MAX
#define FEASIBILITY_NO_PARENT SIZE_MAX

/* The same for who wants no places. */
enum feasibility feasibility_of(const struct placement_problem *problem, bool waiting,
                                struct error *error) CHECKED NONNULL;
