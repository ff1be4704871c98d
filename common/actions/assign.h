/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * assign: gives a starting domain every vGPU it asks for, or none; and a running one another.
 *
 * What an earlier call left behind, because it was killed or could not finish, is mended on the
 * way: the domain's own leases always, those of others when they stand in the way.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * The use case of the hook's `prepare`. On failure everything is given back that can be, and error
 * has the line for the user.
 */
int assign_domain(const struct host *host, const struct request *request,
                  struct error *error) CHECKED NONNULL;

/* How a device that was made gets into the running guest: 0, or -errno with the line for the user,
 * if it is not there. */
struct assign_handover {
    int (*run)(void *data, struct error *error);
    void *data;
};

/*
 * The use case of `vgpuctl attach --live`, as no hook runs for that: makes one device that a
 * running domain's request asks for, and leaves what it has already as it is. While it is handed
 * over no lock is held, and its lease is pending under this process's claim, so that nobody judges
 * it. On failure the device is given back; -EOPNOTSUPP if the policy gives nobody a vGPU.
 */
int assign_device(const struct host *host, const struct request *request, const struct name *device,
                  const struct assign_handover *handover, struct error *error) CHECKED NONNULL;
