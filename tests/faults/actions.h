/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * actions: the actions in which a fault is injected, in the order of the table.
 */

#pragma once

#include "faults/stage.h"

struct action {
    const char *name;
    void (*before)(struct stage *stage); /* NULL: nothing is done before */
    /* Runs the action in a child process, with the fault. Returns the exit status. */
    int (*act)(struct stage *stage);
    /* Does the next step of libvirt, and checks what must be true then. */
    void (*after)(struct stage *stage);
    bool must_succeed;    /* if it is not killed, its exit status must be 0 */
    bool its_daemon_ends; /* libvirt's daemon is a second process, and ends at once */
    bool only_memory;     /* only faults of memory are injected, and all of them in every run */
    const char *more;     /* more lines of the machine (fake-kernel.h); NULL: none */
};

/* For an action that found a cut-off ledger. The check is the same for all actions. */
void actions_after_cut(struct stage *stage);

extern const struct action actions[];
extern const size_t action_count;
