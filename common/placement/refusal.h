/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * refusal: the line that a person reads when demands cannot be met, and its class. Pure.
 *
 * Both functions return REFUSED. error has that line, and which line of the XML it is about. The
 * class is ERROR_NO_ROOM if what is against some GPU may pass (reason.h), else ERROR_NEVER.
 */

#pragma once

#include "placement/loads.h"

/* Why a demand has no candidate. Each GPU says why; or no GPU here has its type, and the line lists
 * those that there are; or there is no such parent. */
int
refusal_none(const struct loads *loads, const struct demand *demand, struct error *error) NONNULL;

/* Why demands that each have candidates have none together. The line has what each GPU says to the
 * last of them, once the others have their places. loads has these places handed out already. */
int refusal_not_together(const struct loads *loads, const size_t *order, size_t count,
                         const struct demand *last, struct error *error) NONNULL;
