/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nodeset: a set of small numbers: NUMA nodes, or processors.
 *
 * Written as the kernel and libvirt write it: "0-3,8,^2".
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>

#define NODESET_MOST 4096

struct nodeset {
    uint64_t words[NODESET_MOST / 64]; /* 0 to 4095 */
};

/* Adds the numbers of a text to the set. -EINVAL: the text is no list of numbers, and the set stays
 * as it was. */
int nodeset_add(struct nodeset *set, const char *text) CHECKED NONNULL;

bool nodeset_has(const struct nodeset *set, unsigned number) CHECKED NONNULL;
bool nodeset_is_empty(const struct nodeset *set) CHECKED NONNULL;
/* Whether any number is in both. */
bool nodeset_meets(const struct nodeset *a, const struct nodeset *b) CHECKED NONNULL;
