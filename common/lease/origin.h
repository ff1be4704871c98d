/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * origin: who made a vGPU.
 *
 * Ours are those that the ledger says we have made. Of the others, those that mdevctl defines have
 * a file; other managers leave no sign.
 */

#pragma once

#include "lease/ledger.h"

enum origin {
    ORIGIN_OURS,
    ORIGIN_MDEVCTL,
    ORIGIN_FOREIGN, /* by hand, or by another manager */
};

/* The origin of a device on a parent; lease is its lease, or NULL. Only looks whether there is a
 * file in /etc/mdevctl.d. */
enum origin origin_of(const struct host *host, const struct name *parent, const struct name *device,
                      const struct lease *lease) __attribute__((nonnull(1, 2, 3))) CHECKED;

/* "ours", "mdevctl" or "foreign". */
const char *origin_name(enum origin origin);
