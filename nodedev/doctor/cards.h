/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * cards: the GPUs of this host that can have virtual functions, one after the other.
 */

#pragma once

#include "doctor/diagnosis.h"
#include "view/card.h"

/* Calls visit for each of these cards, unless the configuration leaves the card alone. */
void cards_visit(struct diagnosis *diagnosis, enum diagnosis_cards which,
                 void (*visit)(struct diagnosis *diagnosis, const struct card *card)) NONNULL;
