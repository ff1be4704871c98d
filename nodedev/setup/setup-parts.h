/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-parts: the table of parts, in the order in which they are made. They are taken away in the
 * opposite order.
 *
 * The order of NVIDIA's cards is that of NVIDIA's vGPU user guide and MIG user guide: MIG mode,
 * virtual functions, GPU instances; or virtual functions, then mixed sizes.
 */

#pragma once

#include "setup/setup-part.h"

extern const struct setup_part_row *const setup_parts[SETUP_PARTS];
