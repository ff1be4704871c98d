/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * type-cache: the types that GPUs have listed since the host booted.
 *
 * A virtual function lists only the types that its driver would make on it now. On a full GPU it
 * lists none, and never the type of the vGPU that it has. So every type that was listed is
 * remembered in /run/libvirt-vgpu/types, one line per type: GPU, what is there, id, name. "What is
 * there" are the card's PCI ids and its driver, because another card may come to that address.
 * Earlier versions wrote no such word, and captures of that time are still read. Nothing depends on
 * the file. Without it the name of an unlisted type is its id, and nobody knows which other types a
 * full GPU has.
 *
 * A line "* all sizes" in place of a type says that the GPU, or another card of its model, was
 * seen idle. Then the other lines have all its sizes (inventory_find_largest).
 *
 * Mediated devices have a file for each type's name. So the names of one card of each model are
 * remembered, too.
 *
 * Types that a table of the vendor has are not remembered here. The part of that table that
 * concerns this host is a file of its own (nvidia-extract.h).
 */

#pragma once

#include "device/inventory.h"

#define TYPE_CACHE_PATH "run/libvirt-vgpu/types"

/* The text of that file, which the caller frees; NULL: nothing is remembered. */
char *type_cache_read(const struct host *host) CHECKED NONNULL;

/* Sets a type's name, if it is remembered. The GPU is described already (pci.h). */
bool type_cache_name(const struct inventory *inventory, const struct inventory_gpu *gpu,
                     struct inventory_type *type) CHECKED NONNULL;

/* Adds the remembered types to the inventory's GPUs: names, and types that cannot be made now. A
 * file that is missing or unreadable is like an empty one. */
void type_cache_recall(const struct host *host, struct inventory *inventory) NONNULL;

/* The text of that file for an inventory. The caller frees it. */
char *type_cache_text(const struct inventory *inventory) CHECKED NONNULL;

/* Writes the types of an inventory into the state directory (a descriptor), if any of them is new.
 * Writes the extract of the vendor's table, if that is new. The caller holds the lock (statedir.h).
 * A failure is no error. */
void type_cache_store(int directory, const struct inventory *inventory) NONNULL;
