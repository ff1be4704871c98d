/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * occupant: what is on a card, and can be somebody's: its virtual functions, and the mediated
 * devices on the card and on its functions.
 *
 * Any program may have made them, and any guest may have them. Only directories and links are read,
 * so no driver is waited for.
 */

#pragma once

#include "base/host.h"

struct occupant {
    struct name device;    /* the address of a function, or a UUID */
    struct path directory; /* below root */
};

struct occupants {
    struct occupant *items;
    size_t count;
};

/* Lists what is on a card. The caller clears ret. */
void
occupants_list(const struct host *host, const struct name *card, struct occupants *ret) NONNULL;
void occupants_clear(struct occupants *occupants) NONNULL;
