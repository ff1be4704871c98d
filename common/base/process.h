/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * process: a process that stays the same one, although pids are used again.
 *
 * A lease names the libvirt daemon that owes us a release for it: its pid and the moment it
 * started, in clock ticks since boot (proc(5), /proc/PID/stat, field 22).
 */

#pragma once

#include "base/host.h"

struct process {
    int pid; /* 0: nobody */
    uint64_t start;
};

/* The process that has a pid now: 0 or -errno. */
int process_find(const struct host *host, int pid, struct process *ret) CHECKED NONNULL;

/* Whoever called us. Nobody, if that cannot be told, or it has ended. */
struct process process_parent(const struct host *host) NONNULL;

/* Whether that very process is still there (a zombie is not). */
bool process_alive(const struct host *host, struct process process) CHECKED NONNULL;

bool process_same(struct process a, struct process b);
