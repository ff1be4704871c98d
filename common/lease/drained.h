/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * drained: the GPUs on which an administrator wants no new vGPUs ('vgpuctl drain').
 *
 * A drained GPU has a file of its name in /var/lib/libvirt-vgpu/drained. So it stays drained over a
 * boot, and while the GPU is not there. Without that directory no GPU is drained. Only the file's
 * name counts. Its text is for people: "drain" or "evacuate", and in the next line the reason that
 * somebody gave. The file of an older version is empty.
 *
 * Whoever decides under the ledger's lock reads the list there, with the ledger (ledger.drained).
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

struct drained_note {
    bool by_evacuation; /* 'vgpuctl evacuate' has drained it, and may end that */
    char reason[256];   /* "": none was given */
};

/* Their names, sorted. The caller clears ret. -errno: they cannot be read, so any GPU may be
 * drained. */
int drained_read(const struct host *host, struct names *ret) CHECKED NONNULL;

/* Takes what drained_read has returned, and returns it: 0, or -errno with a line in error. */
int drained_check(int rc, struct error *error) NONNULL;

/* Adds a GPU. If the GPU is drained already, its note stays, unless an evacuation has drained the
 * GPU and the new note is a person's. The file is on disk when the function returns. A start that
 * has decided before still gets its vGPU there (actions/drain.h waits for such decisions). -errno
 * with a line in error. */
int drained_add(const struct host *host, const struct name *gpu, const struct drained_note *note,
                struct error *error) CHECKED NONNULL;

/* Reads the note of a drained GPU. Without a note, or if it cannot be read, ret is empty. */
void drained_find_note(const struct host *host, const struct name *gpu,
                       struct drained_note *ret) NONNULL;

/* Ends that. 1: the GPU was drained; 0: it was not; -errno with a line in error. The change is on
 * disk when the function returns. */
int drained_remove(const struct host *host, const struct name *gpu,
                   struct error *error) CHECKED NONNULL;
