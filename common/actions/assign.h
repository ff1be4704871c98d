/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * assign: gives a starting domain every vGPU that it asks for, or none. It also gives a running
 * domain one more.
 *
 * If an earlier call was killed or could not finish, its leases are mended on the way. The domain's
 * own leases always are, and those of others only if they are in the way.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * The use case of the hook's `prepare`. On failure everything that can be is given back, and error
 * has the line for the user.
 */
int assign_domain(const struct host *host, const struct request *request,
                  struct error *error) CHECKED NONNULL;

/* Gives the running guest a device that was made: 0, or -errno with the line for the user if the
 * guest did not get it. */
struct assign_handover {
    int (*run)(void *data, struct error *error);
    void *data;
};

/*
 * The use case of `vgpuctl attach --live`, for which libvirt runs no hook. Makes one device that a
 * running domain's request asks for, and leaves its other devices as they are. No lock is held
 * while the device is handed over. Its lease is pending then, under this process's claim, so that
 * nobody judges it. On failure the device is given back. -EOPNOTSUPP: the policy gives nobody a
 * vGPU.
 */
int assign_device(const struct host *host, const struct request *request, const struct name *device,
                  const struct assign_handover *handover, struct error *error) CHECKED NONNULL;
