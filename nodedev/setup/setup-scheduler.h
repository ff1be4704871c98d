/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-scheduler: the part of a card's setup that is only compared: the scheduler of NVIDIA's
 * vGPUs. NVIDIA's driver is told when it is loaded (vendor/nvidia-scheduler.h).
 */

#pragma once

#include "setup/setup-part.h"

extern const struct setup_part_row setup_scheduler;
