/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * placement: which parent and type each demanded vGPU gets, or for every GPU why not.
 *
 * Pure: it looks at values and calls nothing of the system, so the same question has the same
 * answer, in the hook and in a test. All demands are met or none; if any assignment exists, one is
 * found. Rooms are counted per GPU, not per virtual function, and claims that are not yet visible
 * in the inventory are subtracted.
 */

#pragma once

#include "lease/ledger.h"
#include "placement/demand.h"

/* What the kernel has already refused in this call, although it seemed to have room. */
struct placement_refusal {
    struct name parent;
    struct name type;
    int error; /* -errno */
};

struct placement_question {
    const struct request *request;
    const struct demands *demands;
    const struct policy *policy;
    const struct inventory *inventory;
    const struct ledger *ledger;
    const struct placement_refusal *refusals;
    size_t refusal_count;
    bool running;                /* the domain keeps what else it holds: the demands are for more */
    const struct names *avoided; /* virtual functions that no free demand gets; NULL: none */
};

enum placement_way {
    PLACEMENT_MAKE, /* make it */
    PLACEMENT_TAKE, /* it is there, and ours: the domain's own lease says so, or a kept one */
    PLACEMENT_FIND, /* it is there, and somebody else's */
};

struct placement_choice {
    enum placement_way way;
    size_t parent; /* index into the inventory's parents */
    size_t type;   /* index into the types of that parent's GPU */
};

/* What the vGPU of a choice is called: the virtual function itself, or what its hostdev says. */
const struct name *
placement_device(const struct placement_question *question, const struct demand *demand,
                 const struct placement_choice *choice) NONNULL;

/*
 * Writes one choice per demand, in their order, into choices (demands->count of them). Otherwise a
 * line in error that names the device, what it wants and what stands against it:
 * -ENOSPC: no room, with a reason for every GPU; -ENOENT: no GPU has the type at all;
 * -EEXIST: the UUID belongs to something else; -E2BIG: too many devices to try all ways. Choices
 * of demands whose vGPU is there already are written even then, up to the one that is in the way.
 */
int placement_find(const struct placement_question *question, struct placement_choice *choices,
                   struct error *error) CHECKED NONNULL;

/*
 * After -ENOSPC or -EEXIST: the lease whose device had best be removed for another look, among
 * those that may be (a flag per lease). SIZE_MAX: removing none of them would help.
 */
size_t
placement_reap(const struct placement_question *question, const bool *may_reap) CHECKED NONNULL;
