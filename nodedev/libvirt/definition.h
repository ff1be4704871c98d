/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * definition: replaces a domain's definition, and loses no change of others.
 *
 * libvirt replaces a definition as a whole, and knows no condition for that. So the definition is
 * read again just before and just after it is written. Somebody who writes between the first look
 * and the write still loses a change: libvirt leaves that open.
 *
 * Calls of vgpuctl that change definitions on this host wait for each other. Without that two calls
 * could lose a change, or choose one virtual function for two domains. Their lock is on the file
 * /run/libvirt-vgpu/definitions, which only root may open. A call of another user goes on without
 * the lock. Nobody holds the lock while a guest starts. Others who change definitions, as virsh
 * does, do not know the lock.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/connection.h"

/* How often a caller makes its change anew before it gives up. */
#define DEFINITION_TRIES 10

/*
 * Makes `after` the definition, if it is still `before`. Both contain the passwords. *written is
 * the definition as libvirt has it then, which the caller clears in every case.
 *
 * -ESTALE with a line in error: somebody else has changed the definition, and this change is not in
 * it. What others added to it does not matter. The caller may make its change anew. Otherwise -EIO
 * with libvirt's words.
 */
int definition_replace(struct connection *connection, const struct name *domain,
                       const struct document *before, const struct document *after,
                       struct document *written, struct error *error) CHECKED NONNULL;

/* A definition before and after a change of ours, as libvirt had it, with the passwords. */
struct definition_change {
    struct document before, after; /* after: empty if nothing was changed */
};
void definition_change_clear(struct definition_change *change) NONNULL;

struct definitions_lock {
    int fd;          /* -1: the lock is not held */
    bool is_guarded; /* other calls waited for it; with --start, only until the start */
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
