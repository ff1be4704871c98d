/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * writer: the one child process that writes to /sys.
 *
 * A write may block for as long as a guest runs, and no signal ends it. libvirt reads the hook's
 * pipes to their end, so the hook must not write itself. A fork of it (no exec), which has closed
 * the pipes, writes instead. The hook waits for the answer until its deadline. Then it leaves the
 * child behind, with the claim that says so (statedir.h). Such a child ends by itself as soon as
 * the kernel lets it.
 *
 * The child also makes the proof for a removal. So the proof is held while the kernel works,
 * whichever process is killed. At most one proof is held at a time.
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
 * Each answers what the interface's function of the same name answers (vgpu.h). The child calls
 * that function, and is started when first needed. -ETIMEDOUT: no answer by the deadline. The child
 * is left behind then, and every later call answers -ETIMEDOUT too. -ECHILD: the child could not be
 * started, or died. writer_prove asks a driver at most for the type of a function, and has ten
 * seconds of its own. The proof is kept until the next call of any of them.
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
