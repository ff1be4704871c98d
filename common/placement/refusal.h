/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * refusal: the line that a person reads when demands cannot be met, and its class. Pure.
 *
 * Both functions return REFUSED. error has that line, and which line of the XML it is about. The
 * class is ERROR_NO_ROOM if what is against some GPU may pass (reason.h), else ERROR_NEVER.
 */

#pragma once

#include "placement/loads.h"

/* Why a demand has no candidate. The line has the reason of each GPU. If no GPU here has the type,
 * the line lists the types that there are. If the host has no such parent, the line says so. */
int
refusal_none(const struct loads *loads, const struct demand *demand, struct error *error) NONNULL;

/* Why demands that each have candidates have none together. The line has the reason of each GPU
 * against the last demand, once the others have their places. The caller has handed out these
 * places in loads. */
int refusal_not_together(const struct loads *loads, const size_t *order, size_t count,
                         const struct demand *last, struct error *error) NONNULL;
