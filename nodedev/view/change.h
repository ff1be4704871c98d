/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * change: what a command has done with vGPUs, for programs: the list "vgpus" of its document.
 *
 * People read the command's own lines instead.
 */

#pragma once

#include "actions/lease-outcomes.h"
#include "cli/command.h"
#include "lease/ledger.h"

/* What was done with one vGPU. A text is "" if there is none: a vGPU that is only asked for has no
 * GPU. */
struct change {
    const char *outcome; /* a word that stays the same in all versions: "added" or the like */
    struct name device, type, parent, gpu;
    char domain[256], alias[257];
    struct name domain_uuid;
    char *reason;      /* NULL: there is none to tell */
    bool live, config; /* whether it is about the running guest, and about its next start */
    bool has_sides;    /* whether `live` and `config` are set */
};

struct changes {
    struct change *items;
    size_t count;
    const char *host; /* where the vGPUs are now; NULL: on this host */
    bool is_dry_run;  /* nothing was done; this is what would be */
};

void changes_clear(struct changes *changes) NONNULL;

/* Adds a change of a device. Its type, its parent and its GPU are read if the vGPU exists. `host`
 * is NULL if the device is on another host. Returns the change, for the caller to complete; it is
 * valid until the next one is added. */
struct change *
changes_add(struct changes *changes, const struct host *host, const char *outcome,
            const struct name *device) __attribute__((nonnull(1, 3, 4), returns_nonnull));

/* Reads a vGPU's type, parent and GPU, if the vGPU exists. */
void change_look(struct change *change, const struct host *host) NONNULL;

/* Adds what became of leases. */
void changes_add_outcomes(struct changes *changes, const struct lease_outcomes *outcomes) NONNULL;

/* Puts the list into the reply to this call, if there is to be a document. */
void changes_put(const struct changes *changes, const struct command_call *call) NONNULL;
