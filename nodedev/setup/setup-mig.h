/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-mig: GPU instances (MIG) of NVIDIA's cards: the mode, the instances, and what a change of
 * either may leave behind: daemons that a reset stopped, and instances without types.
 *
 * The mode does not change while there are functions (NVIDIA MIG user guide).
 */

#pragma once

#include "setup/setup-part.h"

extern const struct setup_part_row setup_mig_mode;
extern const struct setup_part_row setup_daemons;
extern const struct setup_part_row setup_instances;
extern const struct setup_part_row setup_types;
