/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * trial: a change of a domain's definition that is to stay only if the domain then starts with it.
 *
 *     rc = trial_begin(&trial, source, error);
 *     ...the definition is changed...
 *     rc = trial_start(&trial, error);
 */

#pragma once

#include "libvirt/domain-source.h"

struct trial {
    const struct domain_source *source;
    struct document before; /* its definition, with passwords */
};

/* To be called before anything is changed. -EBUSY with a line in error if it runs, or has a saved
 * state, which libvirt would restore instead of starting what is defined; or the errors of
 * domain_source_text. The caller calls trial_clear in every case. */
int trial_begin(struct trial *trial, const struct domain_source *source,
                struct error *error) CHECKED NONNULL;
void trial_clear(struct trial *trial) NONNULL;

/* Starts it. -EIO with libvirt's words in error, and the definition is again as it was; if it is
 * not, because somebody else has changed it meanwhile or libvirt does not take it, error says so.
 */
int trial_start(struct trial *trial, struct error *error) CHECKED NONNULL;
