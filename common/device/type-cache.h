/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * catalogue: the types that GPUs have listed since this boot, and need not list now.
 *
 * A virtual function lists only what its driver would make of it now: on a full GPU nothing, and
 * nowhere the type that it has. So what was listed once is remembered, in /run/libvirt-vgpu/types,
 * a line for each: GPU, id, name. That is a convenience: without the file a type that is not listed
 * has its id for a name, and a full GPU does not tell what else it could be given.
 */

#pragma once

#include "device/inventory.h"

/* Adds what is remembered of the inventory's GPUs: their names, and types of which there is room
 * for none. -ENOMEM; a file that is not there or cannot be read says nothing. */
int type_cache_recall(const struct host *host, struct inventory *inventory) CHECKED NONNULL;

/* Remembers what an inventory knows, if any of it is new, in the state directory; under its lock.
 * What cannot be written is not remembered. */
void
type_cache_store(const struct host *host, int directory, const struct inventory *inventory) NONNULL;
