/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * partition: into how many partitions a card of AMD's is divided.
 *
 * AMD's driver gim tells it in CARD/accelerator_partition_profile, which only root can read
 * (gim_shim/sysfs/gim_monitor.c of amd/MxGPU-Virtualization). A card has one virtual function, or
 * one for each partition (release notes of GIM 8.5 to 9.4). Under amdgpu a card has no functions;
 * its files current_compute_partition and current_memory_partition are not read.
 */

#pragma once

#include "base/host.h"

#define PARTITION_FILE "accelerator_partition_profile"

struct partition {
    char mode[8];   /* "SPX", "CPX" ... */
    unsigned count; /* the number of partitions, at least 1 */
};

/* Reads the text of the file. A line of titles comes first. The next line has the number of the
 * mode, its name, and the number of partitions. False: it tells nothing. */
bool partition_parse(const char *text, struct partition *ret) CHECKED NONNULL;

/* Reads the mode of a card. Returns 0; -ENODATA: the card does not tell it; or -errno. */
int partition_read(const struct host *host, const struct name *card,
                   struct partition *ret) CHECKED NONNULL;
