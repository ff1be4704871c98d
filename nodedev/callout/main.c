/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/reader.h"
#include "base/rights.h"
#include "callout/callout.h"
#include "lease/counters.h"
#include "lease/log.h"

#include <fcntl.h>
#include <signal.h>

int
main(int argc, char *argv[])
{
    struct log log;
    struct reader reader = READER_IDLE;
    struct host host = {
        .ops = &host_kernel, .log = &log, .reader = &reader, .config = VGPU_CONFIG, .caller = -1};
    int status;

    rights_keep(RIGHTS_TO_LOOK);
    log_open(&log, "libvirt-vgpu-callout", "/dev/log");
    signal(SIGPIPE, SIG_IGN);
    host.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    status = (int)callout_run(&host, argc, argv, STDIN_FILENO, STDERR_FILENO);
    reader_stop(&reader);
    counters_add_lost_lines(&host, log.lost);
    return status;
}
