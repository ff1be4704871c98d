/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * writer: the one child process that writes to /sys.
 *
 * A write may block for as long as a guest runs, in a way that no signal ends. So it is not made by
 * the hook, whose pipes libvirt reads to their end, but by a fork of it (no exec) that has closed
 * them. The hook waits for the answer until its deadline and then leaves the child behind, with
 * the claim that says so (statedir.h). A child that nobody waits for ends by itself as soon as the
 * kernel lets it.
 *
 * Proof and removal happen in the child as well, so that whoever is killed, the proof is held while
 * the kernel works. At most one proof is held at a time.
 */

#pragma once

#include "base/deadline.h"
#include "device/vgpu.h"

struct writer {
    const struct host *host;
    int socket; /* -1: not started, or left behind */
    int pid;
    bool left;          /* a write did not come back in time */
    struct name device; /* of the last order */
};

#define WRITER_IDLE(h) ((struct writer){.host = (h), .socket = -1})

/*
 * What the interface's functions of the same name answer (vgpu.h), from the child, which is started
 * when first needed. -ETIMEDOUT: no answer by the deadline; the child is left behind then, and
 * every later call answers -ETIMEDOUT too. -ECHILD: it could not be started, or died. Proving
 * asks a driver at most what type a function has, and has ten seconds of its own; the proof is kept
 * until the next call of any of them.
 */
int writer_make(struct writer *writer, const struct vgpu *vgpu,
                struct deadline deadline) CHECKED NONNULL;
int writer_configure(struct writer *writer, const struct vgpu *vgpu, const char *params,
                     struct deadline deadline) CHECKED NONNULL;
int writer_prove(struct writer *writer, const struct vgpu *vgpu) CHECKED NONNULL;
int writer_remove(struct writer *writer, const struct vgpu *vgpu,
                  struct deadline deadline) CHECKED NONNULL;

/* Ends the child, and waits for it unless it was left behind. */
void writer_stop(struct writer *writer) NONNULL;
