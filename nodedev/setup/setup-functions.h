/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-functions: a card's virtual functions, and the memory that a driver gives them.
 *
 * Enabling the functions of a card of NVIDIA's removes GPU instances and mixed sizes (measured on
 * an RTX PRO 6000 with 580.105.06).
 */

#pragma once

#include "setup/setup-part.h"

extern const struct setup_part_row setup_functions;
extern const struct setup_part_row setup_shares;
