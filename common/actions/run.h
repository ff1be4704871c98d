/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * run: what is done when a domain is about to run, and when it runs.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * The use case of the hook's `start`: whether the domain still has what `prepare` made for it.
 * Checks every device of the domain's leases that its XML names: it is still there, and of its
 * type. A device that the XML explicitly asks for has a lease, or is there. Reads only the ledger
 * and links, and takes no lock. A broken ledger stops nobody who does not ask
 * (resolution_is_asked).
 */
int run_verify(const struct host *host, const struct request *request,
               struct error *error) CHECKED NONNULL;

/* The use case of the hook's `started`. Leaves the mark that a domain with vGPUs of ours runs.
 * Takes no lock. A failure is logged: if the hook exits with another status than 0, libvirt kills
 * the guest. */
int run_mark(const struct host *host, const struct request *request,
             struct error *error) CHECKED NONNULL;
