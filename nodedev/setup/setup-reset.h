/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-reset: resets a card of NVIDIA's. On Ampere a change of MIG mode comes with a reset (NVIDIA
 * MIG user guide, nvmlDeviceSetMigMode).
 *
 * A card is not reset while NVIDIA's daemons have it open. They serve all cards of the host, so
 * they are stopped only if no card of NVIDIA's has a vGPU, and no guest gets one meanwhile. They
 * are started again in every case.
 */

#pragma once

#include "setup/setup-card.h"

/* The caller has taken the card. Returns -EBUSY with a line in error if another card has a vGPU;
 * else -errno with a line. Reads nothing back. */
int setup_reset(const struct setup_card *card, struct error *error) CHECKED NONNULL;
