/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-declaration: how a card is, as the keys of `setup` in vgpu.conf. If they are said, setup
 * has nothing to do.
 *
 * Some of what a card has cannot be said: vgpuctl could not make the card so, or another part
 * excludes it. That is left out, with the reason. Without an answer of NVIDIA's tool
 * (card->nvidia_rc), instances and sizes are left out, too.
 */

#pragma once

#include "base/words.h"
#include "setup/setup-card.h"

struct setup_declaration {
    char *said;          /* "functions = \"all\"; sizes = \"mixed\";"; "": the card is bare */
    struct words unsaid; /* a line for each part that is left out, with the reason */
};

/* The caller clears ret. */
void setup_declare(const struct setup_card *card, struct setup_declaration *ret) NONNULL;
void setup_declaration_clear(struct setup_declaration *declaration) NONNULL;
