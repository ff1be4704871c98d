/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/origin.h"

enum origin
origin_of(const struct host *host, const struct name *parent, const struct name *device,
          const struct lease *lease)
{
    if (lease && lease->origin == LEASE_MADE)
        return ORIGIN_OURS;
    return host_exists(host, "etc/mdevctl.d/%s/%s", parent->text, device->text) ? ORIGIN_MDEVCTL
                                                                                : ORIGIN_FOREIGN;
}

const char *
origin_name(enum origin origin)
{
    static const char *const names[] = {
        [ORIGIN_OURS] = "ours",
        [ORIGIN_MDEVCTL] = "mdevctl",
        [ORIGIN_FOREIGN] = "foreign",
    };

    return names[origin];
}
