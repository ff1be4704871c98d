/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * mark-run: notes that a domain with vGPUs of ours runs.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/* The use case of the hook's `started`. Takes no lock. A failure is logged: if the hook exits with
 * another status than 0, libvirt kills the guest. */
int mark_run(const struct host *host, const struct request *request,
             struct error *error) CHECKED NONNULL;
