/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/vgpuctl.h"

#include <fcntl.h>
#include <syslog.h>

int
main(int argc, char *argv[])
{
    struct host host = {
        .ops = &host_kernel,
        .config = VGPU_CONFIG,
        .hooks = VGPU_HOOKS,
        .hook = VGPU_HOOK,
        .caller = -1,
    };

    openlog("vgpuctl", LOG_PID, LOG_DAEMON);
    host.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return vgpuctl_run(&host, "qemu:///system", argc, argv, stdout, stderr);
}
