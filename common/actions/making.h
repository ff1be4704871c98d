/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * making: carries out the plan of an assignment, without the lock. It makes the new vGPUs, verifies
 * those that are there, and sets parameters. The kernel may refuse a vGPU although there seemed to
 * be room. That is remembered, so that the next decision tries elsewhere.
 */

#pragma once

#include "actions/assignment.h"

enum making {
    MAKING_DONE,
    MAKING_AGAIN,  /* the kernel refused, or a vGPU has changed: decide again */
    MAKING_FAILED, /* assignment.rc says how */
};

enum making making_carry_out(struct assignment *assignment, struct error *error) CHECKED NONNULL;
