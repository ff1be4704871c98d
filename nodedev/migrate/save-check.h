/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * save-check: whether libvirt can save a guest with its vGPUs (managed save), as far as this can be
 * known before. Where a driver tells nothing, QEMU finds out.
 */

#pragma once

#include "libvirt/connection.h"
#include "placement/demand.h"

/* Checks the domain: it runs, is persistent, and has no saved state. Returns REFUSED with a line in
 * error if not. */
int save_check_domain(const struct connection_domain *domain, struct error *error) CHECKED NONNULL;

/* Checks the guest: its devices, their drivers, and the space where libvirt saves. `framebuffer`:
 * MiB of its vGPUs. The same errors. */
int save_check_guest(const struct host *host, const struct request *request,
                     const struct demands *demands, unsigned framebuffer,
                     const struct document *xml, struct error *error) CHECKED NONNULL;

/* Whether libvirt has a saved state of a domain, as far as the file system tells. */
bool save_check_finds_image(const struct host *host, const char *domain) CHECKED NONNULL;
