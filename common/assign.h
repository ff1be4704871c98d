/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * assign: gives a starting domain every vGPU it asks for, or none.
 *
 * What an earlier call left behind, because it was killed or could not finish, is mended on the
 * way: the domain's own leases always, those of others when they stand in the way.
 */

#pragma once

#include "host.h"
#include "request.h"

/*
 * The use case of the hook's `prepare`. On failure everything is given back that can be, and error
 * has the line for the user.
 */
int assign_domain(const struct host *host, const struct request *request,
                  struct error *error) CHECKED NONNULL;
