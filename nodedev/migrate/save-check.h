/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * save-check: whether libvirt can save a guest with its vGPUs (managed save), as far as this can be
 * known before. Where a driver tells nothing, QEMU finds out.
 */

#pragma once

#include "actions/promise.h"
#include "libvirt/connection.h"

/* Checks the domain: it runs, is persistent, and has no saved state. Returns REFUSED with a line in
 * error if not. */
int save_check_domain(const struct connection_domain *domain, struct error *error) CHECKED NONNULL;

/* Checks the guest of a promise: its devices, their drivers, and the space where libvirt saves.
 * `xml` is the domain's XML. The same errors. */
int save_check_guest(const struct promise *promise, const struct document *xml,
                     struct error *error) CHECKED NONNULL;
