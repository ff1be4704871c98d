/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * origin: who made a vGPU, or would make it again.
 *
 * Only what the ledger says that we made is ours. Of the rest, mdevctl's definitions lie in files;
 * other managers leave no mark.
 */

#pragma once

#include "lease/ledger.h"

enum origin {
    ORIGIN_OURS,
    ORIGIN_MDEVCTL,
    ORIGIN_FOREIGN, /* anybody else's: by hand, or by another manager */
};

/* Of a device on a parent, which has this lease or none (NULL). Looks at no more than a name in
 * /etc/mdevctl.d. */
enum origin origin_of(const struct host *host, const struct name *parent, const struct name *device,
                      const struct lease *lease) __attribute__((nonnull(1, 2, 3))) CHECKED;

/* "ours", "mdevctl" or "foreign". */
const char *origin_name(enum origin origin);
