/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * choices: what both a guest's XML and vgpu.conf may choose, and the words for it.
 *
 * Each word is parsed once, where it is read: domain/annotation.c and policy/setting.c. Both use
 * these lists, so no word is known to one and not to the other.
 */

#pragma once

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

/* By these values. The first word is "", which cannot be chosen; NULL ends a list. */
extern const char *const choice_orders[];
extern const char *const choice_numas[];
