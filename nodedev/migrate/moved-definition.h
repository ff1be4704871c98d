/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * moved-definition: the definition of a domain that runs at its new host, after a migration.
 *
 * The hook there rewrites what the domain runs with: other UUIDs, other virtual functions. libvirt
 * copies its definition as it was (virsh migrate --persistent), so the next start would want
 * virtual functions of the host that it came from.
 */

#pragma once

#include "libvirt/connection.h"

/* Makes the definition name what the domain runs with, by the aliases of its vGPUs. 1: it was
 * changed; 0: nothing was to be changed, as of a domain that does not run or has no definition;
 * -errno with a line in error. */
int moved_definition_update(struct connection *there, const struct name *domain,
                            struct error *error) CHECKED NONNULL;
