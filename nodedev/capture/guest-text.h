/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * guest-text: writes a status file of libvirt (domain/status-files.h) with only what is read of it:
 * the guest, its process, and its host devices.
 */

#pragma once

#include "domain/request.h"

/* Returns the file of a domain, under another name. The caller frees it. */
char *guest_text(const struct request *guest, const char *name) CHECKED NONNULL;
