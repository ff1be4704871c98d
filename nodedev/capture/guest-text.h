/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * guest-text: a status file of libvirt's (domain/status-files.h) with no more than is read of it:
 * who runs, as which process, and with which host devices.
 */

#pragma once

#include "domain/request.h"

/* The file of a domain, under another name; the caller frees it. */
char *guest_text(const struct request *guest, const char *name) CHECKED NONNULL;
