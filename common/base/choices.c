/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/choices.h"

#include <stddef.h>

const char *const choice_orders[] = {"", "pack", "spread", NULL};
const char *const choice_numas[] = {"", "prefer", "require", "ignore", NULL};
