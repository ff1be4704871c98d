/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * mark-run: notes that a domain runs, which has vGPUs of ours.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/* The use case of the hook's `started`. What fails is logged: libvirt would kill the guest for a
 * non-zero exit. Takes no lock. */
int mark_run(const struct host *host, const struct request *request,
             struct error *error) CHECKED NONNULL;
