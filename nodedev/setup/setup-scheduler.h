/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-scheduler: what the schedulers of a card and of its GPU instances have in common.
 */

#pragma once

#include "setup/setup-part.h"

/* For `check` and `refuse` of setup-part.h. The second one is for a driver whose tool sets no
 * scheduler. */
int setup_scheduler_check(const struct setup_card *card, struct error *error) CHECKED NONNULL;
int setup_scheduler_refuse(const struct setup_card *card, struct error *error) CHECKED NONNULL;
