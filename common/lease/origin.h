/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * origin: who made a vGPU.
 *
 * A vGPU is ours if the ledger says that we made it. Any other vGPU has a file in /etc/mdevctl.d if
 * mdevctl defines it. Other managers leave no sign.
 */

#pragma once

#include "lease/ledger.h"

enum origin {
    ORIGIN_OURS,
    ORIGIN_MDEVCTL,
    ORIGIN_FOREIGN, /* made by hand, or by another manager */
};

/* The origin of a device on a parent. lease is that of the device, or NULL. Only looks whether
 * /etc/mdevctl.d has a file for it. */
enum origin origin_of(const struct host *host, const struct name *parent, const struct name *device,
                      const struct lease *lease) __attribute__((nonnull(1, 2, 3))) CHECKED;

/* "ours", "mdevctl" or "foreign". */
const char *origin_name(enum origin origin);
