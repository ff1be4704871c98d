/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * card-facts: the answers of a host that a public capture has.
 *
 * They are facts of cards: what the kernel and its drivers say in /sys, some versions, and which
 * processes have the node of a device open. A path is kept if each of its parts is in a list or has
 * a form, such as a PCI address. A text is kept if it has the form that vgpuctl expects there. Any
 * other answer is left out, and then playback.h says "not recorded". The ids of vGPUs stay, because
 * the figures of a card belong to its vGPUs.
 *
 * Ledger, guests and users are left out. A public capture says that the ledger does not exist, so
 * that its cards can be shown without it.
 */

#pragma once

#include "capture/answers.h"

/* Whether a question is about cards, or needed to tell about them: of /sys, /proc, the
 * configuration in the directory `config`, and what is known of types. */
bool card_facts_concern(const char *path, const char *config) CHECKED NONNULL;

/* Adds to ret the answers that are facts of cards. Both are sorted by that. The caller clears
 * ret. */
void card_facts_take(struct answers *from, struct answers *ret) NONNULL;

/* Adds a file that only root may write. */
void card_facts_add_file(struct answers *answers, const char *path, const char *text) NONNULL;
