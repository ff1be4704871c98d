/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "callout/callout.h"

#include <fcntl.h>
#include <signal.h>
#include <syslog.h>

int
main(int argc, char *argv[])
{
    struct host host = {.ops = &host_kernel, .config = VGPU_CONFIG, .caller = -1};

    openlog("libvirt-vgpu-callout", LOG_PID, LOG_DAEMON);
    signal(SIGPIPE, SIG_IGN);
    host.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return (int)callout_run(&host, argc, argv, STDIN_FILENO, STDERR_FILENO);
}
