/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * attributes: what a request can say of its vGPU, and the words for it.
 *
 * A <vgpu:device> says them in a guest's XML (vgpu-request(7)), and options of 'vgpuctl attach' say
 * them. `allow` in vgpu.conf names those that a guest's XML may say. Some attributes take one word
 * of a list, and vgpu.conf chooses from the same lists. Each word is parsed once, where it is read.
 *
 * A new attribute is a row here, a rule in placement/constraints.c or candidate.c, and an option in
 * nodedev/attach/wish.c. The parser, the editor of XML, `allow` and the comparisons of requests go
 * over all rows.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

enum attribute {
    ATTRIBUTE_CLASS,
    ATTRIBUTE_TYPE,
    ATTRIBUTE_PARENT,
    ATTRIBUTE_PLACEMENT,
    ATTRIBUTE_NUMA,
    ATTRIBUTE_TRAITS,
    ATTRIBUTES,
};

/* By these. NULL ends the names. */
extern const char *const attribute_names[];

/* UNSAID: the next one of these decides: the request, the class, the configuration. */
enum choice_order {
    ORDER_UNSAID,
    ORDER_PACK,
    ORDER_SPREAD,
};

enum choice_numa {
    NUMA_UNSAID,
    NUMA_PREFER,
    NUMA_REQUIRE,
    NUMA_IGNORE,
};

/* By these. The first word is "", which cannot be chosen; NULL ends a list. */
extern const char *const choice_orders[];
extern const char *const choice_numas[];

/* The words of an attribute; NULL: it takes any text. */
extern const char *const *const attribute_words[ATTRIBUTES];

/* What a request says. Whoever makes one says who owns the texts. */
struct attributes {
    char *said[ATTRIBUTES];      /* texts; NULL: not said, or one of the words is chosen */
    unsigned chosen[ATTRIBUTES]; /* indices of words; 0: not said, or it takes any text */
};

/* What a request says of an attribute; NULL: nothing. */
const char *attributes_text(const struct attributes *attributes, enum attribute attribute) NONNULL;

/* Whether two requests say the same. */
bool attributes_equal(const struct attributes *a, const struct attributes *b) CHECKED NONNULL;
