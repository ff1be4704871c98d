/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * telling: a finding as people read it: a block of lines, in which each command of the remedy has a
 * line of its own, as it is to be typed.
 */

#pragma once

#include "cli/terminal.h"
#include "doctor/diagnosis.h"

/* On a terminal, prose is broken into lines; commands never are. */
void telling_print(const struct diagnosis_finding *finding, const struct terminal *terminal,
                   FILE *out) NONNULL;
