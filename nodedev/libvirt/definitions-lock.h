/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * definitions-lock: calls of vgpuctl that change definitions on this host wait for each other.
 *
 * libvirt replaces a definition as a whole, so the last change wins. Without the lock, two calls
 * could lose a change, or choose one virtual function for two domains. The lock is on the file
 * /run/libvirt-vgpu/definitions, which only root may open. A call of another user goes on without
 * the lock. Nobody holds the lock while a guest starts. Others who change definitions, as virsh
 * does, do not know the lock.
 */

#pragma once

#include "base/error.h"
#include "cli/command.h"

struct definitions_lock {
    int fd;          /* -1: the lock is not held */
    bool is_guarded; /* it was held, perhaps until a guest's start */
};

#define DEFINITIONS_UNLOCKED ((struct definitions_lock){.fd = -1})

/*
 * Waits for the lock. Returns 0 also if the file cannot be opened, as by another user or on a full
 * /run. Then the call goes on without the lock. -ETIMEDOUT with a line in error: another call has
 * had the lock for two minutes. End ret in every case.
 */
int definitions_lock_take(const struct host *host, struct definitions_lock *ret,
                          struct error *error) CHECKED NONNULL;

void definitions_lock_end(struct definitions_lock *lock) NONNULL;

/* Writes into the JSON document of a call, if there is one, whether other calls waited for it. */
void
definitions_lock_put(const struct definitions_lock *lock, const struct command_call *call) NONNULL;
