/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * verify: whether a domain that is about to run still has what prepare made for it.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * The use case of the hook's `start`. Checks every device of the domain's leases that its XML
 * names: it is still there, and of its type. A device that the XML explicitly asks for has a lease,
 * or is there. Reads only the ledger and links, and takes no lock. A broken ledger stops nobody who
 * does not ask (resolution_is_asked).
 */
int verify_domain(const struct host *host, const struct request *request,
                  struct error *error) CHECKED NONNULL;
