/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * actions: what meets a fault, in the order of the table.
 */

#pragma once

#include "faults/stage.h"

struct action {
    const char *name;
    void (*before)(struct stage *stage); /* NULL: nothing */
    /* In a process of its own, with the fault; its exit status. */
    int (*act)(struct stage *stage);
    /* What libvirt does next, and what has to be true then. */
    void (*after)(struct stage *stage);
    bool must_succeed;    /* if it is not killed it exits with 0 */
    bool its_daemon_ends; /* libvirt's daemon is another process, and ends at once */
    bool only_memory;     /* it meets no other faults, and each of those in every run */
};

/* After an action that found a ledger which was cut off, whichever it was. */
void actions_after_cut(struct stage *stage);

extern const struct action actions[];
extern const size_t action_count;
