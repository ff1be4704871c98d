/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * trial: keeps a change of a domain's definition only if the domain then starts.
 *
 *     rc = trial_check(source, error);
 *     ...the definition is changed...
 *     rc = trial_start(source, &made, explain, error);
 */

#pragma once

#include "libvirt/definition.h"
#include "libvirt/domain-source.h"

/* Call it before any change. Returns -EBUSY with a line in error if the domain runs, or if it has a
 * saved state. libvirt would restore a saved state instead of starting the definition. */
int trial_check(const struct domain_source *source, struct error *error) CHECKED NONNULL;

/* Starts the domain. On failure it returns -EIO with libvirt's words in error, and restores the old
 * definition; `made` is then empty. If somebody else has changed the definition meanwhile, or
 * libvirt refuses the old one, error says so. If the host has no room for its vGPUs, error has the
 * class that explain would have. `explain` is a command that explains the changed definition.
 * -EBUSY with a line in error: somebody else has started the domain. The definition stays, because
 * the guest may run with its vGPUs. */
int trial_start(const struct domain_source *source, struct definition_change *made,
                const char *explain, struct error *error) CHECKED NONNULL;
