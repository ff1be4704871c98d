/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * diagnosis-card: cards that could give vGPUs and give none, and the next step of each, in the
 * order of a first day. The card needs another driver, then virtual functions, then profiles or a
 * pool in vgpu.conf. The findings are those of card_checks (checks.h).
 *
 * On a host where another GPU gives vGPUs the step is mostly a note. A card is passed over if it
 * can give none, if vgpu.conf disables it, or if a domain has the card itself.
 */

#pragma once

#include "doctor/diagnosis.h"

/* Whether card_checks, or "setup", names the next step of a card. Then no vaguer finding is added.
 * address: of this card; NULL: of any. */
bool diagnosis_card_has_step(struct diagnosis *diagnosis, const struct name *address)
    __attribute__((nonnull(1))) CHECKED;
