/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * guest-text: copies a status file of libvirt (domain/status-files.h) with only what is read of it:
 * the guest, its process, and its host devices; with stand-ins for what people chose.
 */

#pragma once

#include "capture/stand-ins.h"

/* Returns a copy of the file, which the caller frees. A file that cannot be read to its end gives a
 * copy that has no end. */
char *guest_text_copy(struct stand_ins *stand_ins, const char *text) CHECKED NONNULL;

/* Learns the domain's name. */
void guest_text_learn(struct stand_ins *stand_ins, const char *text) NONNULL;
