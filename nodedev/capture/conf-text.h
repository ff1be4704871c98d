/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * conf-text: copies the text of vgpu.conf, with stand-ins for what people chose.
 *
 * Known keys, numbers, and settings that are known to be harmless stay. Comments are emptied. Lines
 * keep their numbers, and what libconfig cannot read stays unreadable in the same place. A pattern
 * of domains becomes the list of the stand-ins of the domains that it matches. A group of `domains`
 * is repeated for each of them.
 */

#pragma once

#include "capture/stand-ins.h"

/* Learns names of classes, pools and profiles. */
void conf_text_learn(struct stand_ins *stand_ins, const char *text) NONNULL;

/* Returns a copy of the text, which may have faults. All domains must be learned. The caller frees
 * the copy. */
char *conf_text_copy(struct stand_ins *stand_ins, const char *text) CHECKED NONNULL;
