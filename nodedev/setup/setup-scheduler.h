/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-scheduler: the part of a card's setup that is only compared: the scheduler of NVIDIA's
 * vGPUs. NVIDIA's driver is told when it is loaded (view/nvidia-scheduler.h).
 *
 * These are the functions of its row (setup-part.h).
 */

#pragma once

#include "base/text.h"
#include "setup/setup-card.h"

bool setup_scheduler_is_said(const struct policy_setup *said) CHECKED NONNULL;
bool setup_scheduler_is_as_said(const struct setup_card *card) CHECKED NONNULL;
int setup_scheduler_check(const struct setup_card *card, struct error *error) CHECKED NONNULL;
int setup_scheduler_refuse(const struct setup_card *card, struct error *error) CHECKED NONNULL;
void setup_scheduler_tell_said(const struct setup_card *card, struct text *text) NONNULL;
void setup_scheduler_tell_now(const struct setup_card *card, struct text *text) NONNULL;
