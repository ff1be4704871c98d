/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * verify: whether a domain that is about to run still has what prepare made for it.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * The use case of the hook's `start`: whether every device of the domain's leases that its XML
 * names is still there and of its type. Looks at the ledger and at links only, takes no lock.
 */
int verify_domain(const struct host *host, const struct request *request,
                  struct error *error) CHECKED NONNULL;
