/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * type-cache: the types that GPUs have listed since the host booted.
 *
 * A virtual function lists only the types that its driver would make on it now: on a full GPU none,
 * and not the type of the vGPU that it has. So what was listed once is remembered, in
 * /run/libvirt-vgpu/types, one line per type: GPU, id, name. Nothing depends on the file: without
 * it, a type that is not listed has its id for a name, and it is not known which other types a full
 * GPU has.
 */

#pragma once

#include "device/inventory.h"

/* Adds what is remembered to the inventory's GPUs: names of types, and types that cannot be made
 * now. A file that is missing or cannot be read is like an empty one. */
void type_cache_recall(const struct host *host, struct inventory *inventory) NONNULL;

/* Writes the types of an inventory into the state directory, a descriptor, if any of them is new.
 * The caller holds the lock (statedir.h). It is no error if that fails. */
void
type_cache_store(const struct host *host, int directory, const struct inventory *inventory) NONNULL;
