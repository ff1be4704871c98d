/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * trial: changes a domain's definition, and keeps the change only if the domain then starts.
 *
 *     rc = trial_begin(&trial, source, error);
 *     ...the definition is changed...
 *     rc = trial_start(&trial, explain, error);
 */

#pragma once

#include "libvirt/domain-source.h"

struct trial {
    const struct domain_source *source;
    struct document before; /* the old definition, with passwords */
    bool is_undone;         /* the domain did not start, and has its old definition again */
};

/* Call it before any change. Returns -EBUSY with a line in error if the domain runs, or if it has a
 * saved state. libvirt would restore a saved state instead of starting the definition. Also returns
 * the errors of domain_source_text. The caller calls trial_clear in every case. */
int trial_begin(struct trial *trial, const struct domain_source *source,
                struct error *error) CHECKED NONNULL;
void trial_clear(struct trial *trial) NONNULL;

/* Starts the domain. On failure it returns -EIO with libvirt's words in error, and restores the old
 * definition. If somebody else has changed the definition meanwhile, or libvirt refuses the old
 * one, error says so. If the host has no room for its vGPUs, error has the class that explain would
 * have. `explain` is a command that explains the changed definition. */
int trial_start(struct trial *trial, const char *explain, struct error *error) CHECKED NONNULL;
