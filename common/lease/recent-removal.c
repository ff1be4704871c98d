/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/recent-removal.h"

#include <inttypes.h>
#include <stdio.h>

#define DIRECTORY "run/libvirt-vgpu/settling"
#define LONGEST   3000 /* ms until a driver's figures show that a vGPU is gone */

/* Two calls may do this at once. Then one of the two links stays, and their times are about the
 * same. */
void
recent_removal_note(const struct host *host, const struct name *gpu)
{
    struct path path;
    char time[24];

    snprintf(time, sizeof(time), "%" PRIu64, host_uptime(host));
    if (path_format(&path, DIRECTORY "/%s", gpu->text) < 0)
        return;
    host_make_directory(host, DIRECTORY);
    (void)!host_remove(host, path.text);
    (void)!host_make_link(host, path.text, time);
}

bool
recent_removal_on(const struct host *host, const struct name *gpu)
{
    uint64_t now = host_uptime(host), time;
    struct name target;

    return host_link(host, &target, DIRECTORY "/%s", gpu->text) == 0 &&
           host_parse_number(target.text, &time) == 0 && time <= now && now - time < LONGEST;
}
