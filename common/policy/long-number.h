/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * long-number: finds a whole number in a configuration file that does not fit into 32 bits.
 *
 * libconfig before 1.7.3 takes such a number for another one, and says nothing: 4294967298 becomes
 * 2. A number with the suffix L has 64 bits, and no key of ours takes one. Pure.
 */

#pragma once

#include "base/cleanup.h"

#include <stddef.h>

struct long_number {
    unsigned line;    /* 0: there is none */
    const char *text; /* its first digit or its sign, in the text */
    size_t length;
};

/* The first one. libconfig must have accepted the text. */
struct long_number long_number_find(const char *text) CHECKED NONNULL;
