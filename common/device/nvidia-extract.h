/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-extract: the part of NVIDIA's table that concerns the cards of this host, remembered until
 * the next boot.
 *
 * NVIDIA's file has some megabytes, and a start should not read them each time. So whoever has read
 * the file, and holds the lock, leaves an extract in /run/libvirt-vgpu. The extract has the form of
 * the file itself (nvidia-table.h), but only the cards that are here and their types. One element
 * more says of which file it is an extract:
 *
 *     <extract device="2049" inode="1312" size="1712000" seconds="1764000000" nanoseconds="5"/>
 *
 * If the file is another one now, or a card is here that the extract does not have, the file is
 * read again. If the file cannot be read, refused="1" says so, and the extract has no cards: the
 * fault is told once, and not at each start. Nothing depends on the extract.
 */

#pragma once

#include "device/nvidia-table.h"

#define NVIDIA_EXTRACT_NAME "vgpuConfig.xml" /* in the state directory */
#define NVIDIA_EXTRACT_PATH "run/libvirt-vgpu/" NVIDIA_EXTRACT_NAME

/*
 * Does what nvidia_table_read does with NVIDIA's own file, but reads only the extract if that is
 * enough. It is no failure if the extract says that the file is refused; ret then has no cards.
 * *extract: the text of a new extract, also after a fault of the file; NULL: nothing is new. The
 * caller frees it.
 */
int nvidia_extract_find(const struct host *host, const struct nvidia_table_ids *cards, size_t count,
                        struct nvidia_table *ret, char **extract, struct error *error) CHECKED
    __attribute__((nonnull(1, 4, 5, 6)));

/* The text of an extract. `cards` are those that the table was asked for. The caller frees it. */
char *
nvidia_extract_format(const struct nvidia_table *table,
                      const struct nvidia_table_ids *cards) CHECKED __attribute__((nonnull(1)));
