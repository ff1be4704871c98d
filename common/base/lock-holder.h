/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * lock-holder: which process has a file locked, for messages.
 *
 * A lock of flock(2), or an open file description lock, belongs to an open file. Every process that
 * has inherited the open file has the lock as well, and the kernel tells so in
 * /proc/PID/fdinfo/FD (proc(5)). /proc/locks names only the process that took the lock, and that
 * one may have ended.
 */

#pragma once

#include "base/host.h"

struct lock_holder {
    int pid;
    char name[80]; /* for people: "812 (sriov-manage)" */
    bool is_left;  /* the process that took the lock has it no more: the holder inherited it */
};

/* Finds a process other than this one that has the lock of flock(2) on a file, or the one on a byte
 * of it. False: there is none, or it may not be looked at. */
bool lock_holder_find(const struct host *host, const char *path,
                      struct lock_holder *ret) CHECKED NONNULL;
bool lock_holder_find_byte(const struct host *host, const char *path, uint64_t byte,
                           struct lock_holder *ret) CHECKED NONNULL;
