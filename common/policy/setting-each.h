/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setting-each: choices for several things: one for all of them, or one for each in turn.
 *
 *     sizes = "mixed";                 of each GPU instance
 *     sizes = [ "mixed", "equal" ];    of the first one, and of the second
 */

#pragma once

#include "base/cleanup.h"

#include <stddef.h>

#define SETTING_MOST_EACH 16

struct setting_each {
    unsigned count;                    /* 0: nothing is said; 1: it is for all */
    unsigned items[SETTING_MOST_EACH]; /* indices into the words of the key; never 0 */
};

/* The choice for one of the things; 0: none is said. */
static inline unsigned NONNULL
setting_each_of(const struct setting_each *each, size_t thing)
{
    if (each->count == 1)
        return each->items[0];
    return thing < each->count ? each->items[thing] : 0;
}
