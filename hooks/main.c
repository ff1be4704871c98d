/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hook.h"

#include <fcntl.h>
#include <signal.h>
#include <syslog.h>

/* Whoever runs us with one of these closed must not make a file of ours take its place. */
static void
open_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int
main(int argc, char *argv[])
{
    struct host host = {.ops = &host_kernel, .config = VGPU_CONFIG, .caller = STDERR_FILENO};

    openlog("libvirt-vgpu-hook", LOG_PID, LOG_DAEMON);
    signal(SIGPIPE, SIG_IGN); /* libvirt may be gone when we answer */
    open_standard_descriptors();
    host.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return hook_run(&host, geteuid() == 0, argc, argv, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
}
