/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * table-text: what a capture keeps of NVIDIA's table of vGPU types: the cards that are here, and
 * their types.
 */

#pragma once

#include "capture/answers.h"
#include "capture/stand-ins.h"

/* Returns a smaller table, which the caller frees; "": the table cannot be read. `from` has all
 * answers of the host. */
char *table_text_copy(struct stand_ins *stand_ins, const struct answers *from,
                      const struct answer *answer) CHECKED NONNULL;
