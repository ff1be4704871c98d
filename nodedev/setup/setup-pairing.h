/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-pairing: which of the declared GPU instances is which of a card's.
 *
 * The driver chooses where the instances are on the card, so their order says nothing. Instances of
 * one profile are alike when they are made. So the first declared one of a profile is the card's
 * one with the lowest id, and so on. An instance keeps its id.
 */

#pragma once

#include "setup/setup-card.h"

struct setup_pairing {
    /* For each of the card's instances, in the order of nvidia_smi: which declared one it is. */
    size_t said[POLICY_MOST_INSTANCES];
};

/* False: the card does not have the declared instances. */
bool setup_pairing_make(const struct setup_card *card, struct setup_pairing *ret) CHECKED NONNULL;
