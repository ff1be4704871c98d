/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * moved-definition: the definition of a domain that runs at its new host after a migration.
 *
 * The hook there changes what the domain runs with: it gets other UUIDs or other virtual functions.
 * But libvirt copies the definition unchanged (virsh migrate --persistent). So the next start would
 * want virtual functions of the old host.
 */

#pragma once

#include "domain/request.h"
#include "libvirt/connection.h"

/* Changes the definition so that it names the devices with which the domain runs. The aliases show
 * which vGPU is which. Returns 1 if the definition was changed. Returns 0 if there was nothing to
 * change, for example if the domain does not run or has no definition. Returns -errno with a line
 * in error. */
int moved_definition_update(struct connection *there, const struct name *domain,
                            struct error *error) CHECKED NONNULL;

/* The same for a domain that need not run: its definition is to name the devices of a request. */
int moved_definition_follow(struct connection *there, const struct name *domain,
                            const struct request *now, struct error *error) CHECKED NONNULL;
