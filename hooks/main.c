/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hook.h"
#include "base/descriptors.h"
#include "base/reader.h"
#include "lease/counters.h"
#include "lease/log.h"

#include <fcntl.h>
#include <signal.h>

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
    struct log log;
    struct reader reader = READER_IDLE;
    struct host host = {.ops = &host_kernel,
                        .log = &log,
                        .reader = &reader,
                        .config = VGPU_CONFIG,
                        .caller = STDERR_FILENO};
    int status;

    /* A script that runs us may have any open, with a lock. */
    descriptors_close_from(STDERR_FILENO + 1);
    log_open(&log, "libvirt-vgpu-hook", "/dev/log");
    signal(SIGPIPE, SIG_IGN); /* libvirt may be gone when we answer */
    open_standard_descriptors();
    host.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    status =
        hook_run(&host, geteuid() == 0, argc, argv, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
    reader_stop(&reader);
    counters_add_lost_lines(&host, log.lost);
    return status;
}
