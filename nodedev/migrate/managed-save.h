/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * managed-save: whether libvirt can save a guest with its vGPUs (virsh managedsave), as far as this
 * can be known before, and how long the guest stands still then. Where a driver tells nothing, QEMU
 * finds out.
 *
 * libvirt writes the guest's memory and the frame buffer of its vGPUs, and reads them again. How
 * fast this host does that depends on its disk and its drivers. So the last move to another GPU of
 * this host is the best estimate of the next one. It is remembered on disk:
 *
 *     /var/lib/libvirt-vgpu/last-pause     "MIB MS"
 */

#pragma once

#include "libvirt/connection.h"
#include "placement/demand.h"

/* Checks the domain: it runs, is persistent, and has no saved state. Returns REFUSED with a line in
 * error if not. */
int managed_save_check_domain(const struct connection_domain *domain,
                              struct error *error) CHECKED NONNULL;

/* Checks the guest: its devices, their drivers, and the space where libvirt saves. `framebuffer`:
 * MiB of its vGPUs. The same errors. */
int managed_save_check_guest(const struct host *host, const struct request *request,
                             const struct demands *demands, unsigned framebuffer,
                             const struct document *xml, struct error *error) CHECKED NONNULL;

/* Whether libvirt has a saved state of a domain, as far as the file system tells. */
bool managed_save_exists(const struct host *host, const char *domain) CHECKED NONNULL;

/* The memory of a guest in MiB, by its XML. libvirt always writes it in KiB. 0: it is not told. */
uint64_t managed_save_memory(const struct document *xml) CHECKED NONNULL;

/* Remembers that a guest with so much memory and frame buffer has stood still so long. */
void
managed_save_note_pause(const struct host *host, uint64_t mebibytes, uint64_t milliseconds) NONNULL;

/* The seconds that a guest of this size would stand still, rounded up. 0: it is not known. */
unsigned managed_save_estimate_pause(const struct host *host, uint64_t mebibytes) CHECKED NONNULL;
