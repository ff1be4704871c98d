/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-sizes: whether a card of NVIDIA's takes vGPUs of mixed sizes (NVIDIA vGPU user guide).
 */

#pragma once

#include "setup/setup-part.h"

extern const struct setup_part_row setup_sizes;
