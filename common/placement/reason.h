/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reason: what can be against a GPU that a demand looks at, and the words for that. Pure.
 *
 * constraints.h and fit.h find the reason. gpu-reason.h adds the figures to the words.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

/* What is against a GPU. The later values came closer to room. */
enum reason {
    REASON_NO_TYPE,
    REASON_OTHER_KIND,
    REASON_OTHER_VF,
    REASON_MANAGED,
    REASON_OTHER_PARENT,
    REASON_NOT_PROMISED,
    REASON_LEFT,
    REASON_OWN_CARD,
    REASON_DISABLED,
    REASON_NOT_ALLOWED,
    REASON_LACKS_TRAIT,
    REASON_HAS_TRAIT,
    REASON_UNBOUND,
    REASON_OTHER_NODE,
    REASON_UNLIKE,
    REASON_DRAINED, /* from here on a reason may pass: another day there may be room */
    REASON_PROVED,
    REASON_WHOLE,
    REASON_QUOTA,
    REASON_UNREADABLE,
    REASON_UNLISTED,
    REASON_FULL,
    REASON_IN_USE,
    REASON_RESERVED,
    REASON_OTHER_SIZE,
    REASON_REJECTED,
    REASON_NONE,
};

/* A reason of a rule, as the words after a GPU's name: "is disabled in vgpu.conf". */
const char *reason_of_rule(enum reason reason) NONNULL;

/* One word for a reason, which stays the same in all versions; "": it is none. */
const char *reason_word(enum reason reason) NONNULL;

/* Whether the reason may have passed another day. Then there is more room, a drain or a proof has
 * ended, or a driver answers. What vgpu.conf or the request rules out for good is no such reason.
 */
bool reason_may_pass(enum reason reason) CHECKED;
