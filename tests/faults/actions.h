/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * actions: the actions that meet a fault, in the order of the table.
 */

#pragma once

#include "faults/stage.h"

struct action {
    const char *name;
    void (*before)(struct stage *stage); /* NULL: nothing */
    /* Runs the action in a process of its own, with the fault. The exit status. */
    int (*act)(struct stage *stage);
    /* Does what libvirt does next, and checks what has to be true then. */
    void (*after)(struct stage *stage);
    bool must_succeed;    /* unless it is killed, it exits with 0 */
    bool its_daemon_ends; /* libvirt's daemon is a second process, and ends at once */
    bool only_memory;     /* it meets only faults of memory, and each of those in every run */
};

/* For an action that found a ledger which was cut off: the check is the same for all actions. */
void actions_after_cut(struct stage *stage);

extern const struct action actions[];
extern const size_t action_count;
