/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * ledger-text: copies the text of the ledger, with stand-ins for what people chose. A line that is
 * no lease stays none.
 */

#pragma once

#include "capture/stand-ins.h"

/* Learns the names of domains. */
void ledger_text_learn(struct stand_ins *stand_ins, const char *text) NONNULL;

/* Returns a copy of the text, which may have faults. The caller frees the copy. */
char *ledger_text_copy(struct stand_ins *stand_ins, const char *text) CHECKED NONNULL;
