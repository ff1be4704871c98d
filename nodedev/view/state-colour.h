/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * state-colour: the colour of a vGPU's state, the same in pictures and in tables.
 */

#pragma once

#include "cli/terminal.h"

/* state: as host_view_vgpu has it; NULL: not known. */
enum terminal_colour state_colour(const char *state);
