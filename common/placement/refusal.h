/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * refusal: the line that a person reads when demands cannot be met, and of which class it is. Pure.
 *
 * Both functions return REFUSED, with that line in error, and which of the XML's it is about. The
 * class is ERROR_NO_ROOM if more room on some GPU would help, ERROR_NEVER if none would.
 */

#pragma once

#include "placement/rooms.h"

/* Why a demand has no candidate: what each GPU says to it, or that no GPU here has its type, with
 * the types that there are, or that there is no such parent. */
int
refusal_none(const struct rooms *rooms, const struct demand *demand, struct error *error) NONNULL;

/* Why demands that each have candidates have none together: what each GPU says to the last of them
 * once the others have theirs. Capacity has these handed out. */
int refusal_not_together(const struct rooms *rooms, const size_t *order, size_t count,
                         const struct demand *last, struct error *error) NONNULL;
