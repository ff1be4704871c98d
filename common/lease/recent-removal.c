/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/recent-removal.h"
#include "base/run-links.h"

#include <inttypes.h>

#define KIND    "settling"
#define LONGEST 3000 /* ms until a driver's figures show that a vGPU is gone */

/* Two processes may do this at once. Then one link stays, and their times are about the same. */
void
recent_removal_note(const struct host *host, const struct name *gpu)
{
    (void)!run_links_replace(host, KIND, gpu->text, "%" PRIu64, host_uptime(host));
}

bool
recent_removal_on(const struct host *host, const struct name *gpu)
{
    return run_links_is_recent(host, KIND, gpu->text, LONGEST);
}
