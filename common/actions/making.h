/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * making: carries the plan of an assignment out, without the lock: what is to be made is made, what
 * is there is verified, parameters are set. The kernel may refuse what it seemed to have room for;
 * that is remembered, so that the next decision tries elsewhere.
 */

#pragma once

#include "actions/assignment.h"

enum making {
    MAKING_DONE,
    MAKING_AGAIN,  /* something was refused, or is not as it was: decide again */
    MAKING_FAILED, /* assignment.rc says how */
};

enum making making_carry_out(struct assignment *assignment, struct error *error) CHECKED NONNULL;
