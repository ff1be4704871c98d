/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * process: a process, known by more than its pid, because pids are used again.
 *
 * A lease names the libvirt daemon that will call our hook with "release" for it. It does so by the
 * daemon's pid and start time, in clock ticks since boot (proc(5), /proc/PID/stat, field 22).
 */

#pragma once

#include "base/host.h"

struct process {
    int pid;        /* 0: no process */
    uint64_t start; /* clock ticks since boot */
};

/* Finds the process that has a pid now: 0, or -errno (-ESRCH, -ENOENT: none has it). */
int process_find(const struct host *host, int pid, struct process *ret) CHECKED NONNULL;

struct process_status {
    struct process process;
    int parent;
    char name[32]; /* of its program, cut by the kernel to 15 bytes */
};

/* Looks at the process that has a pid now. Errors as above. */
int process_look(const struct host *host, int pid, struct process_status *ret) CHECKED NONNULL;

/* The file name of the program that a process runs, and its real user: 0 or -errno. In a
 * mount name space of their own, all users can choose the name. Nobody can choose the user. */
int process_program(const struct host *host, int pid, char *name, size_t size,
                    uid_t *user) CHECKED NONNULL;

/* Whether that very process is still there. A zombie is not. If that is not known, it counts as
 * alive, so that nothing of it is removed. */
bool process_alive(const struct host *host, struct process process) CHECKED NONNULL;

bool process_same(struct process a, struct process b);
