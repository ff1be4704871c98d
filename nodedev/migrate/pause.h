/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pause: how long a guest does not run while it moves to another GPU of its host.
 *
 * libvirt writes the guest's memory and the frame buffer of its vGPUs, and reads them again. How
 * fast this host does that depends on its disk and its drivers. So the last such move is the best
 * estimate of the next one. It is remembered on disk:
 *
 *     /var/lib/libvirt-vgpu/last-pause     "MIB MS"
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/* The memory of a guest in MiB, by its XML. libvirt always writes it in KiB. 0: it is not told. */
uint64_t pause_memory(const struct document *xml) CHECKED NONNULL;

/* Remembers that a guest with so much memory and frame buffer has stood still so long. */
void pause_note(const struct host *host, uint64_t mebibytes, uint64_t milliseconds) NONNULL;

/* The seconds that a guest of this size would stand still, rounded up. 0: it is not known. */
unsigned pause_estimate(const struct host *host, uint64_t mebibytes) CHECKED NONNULL;
