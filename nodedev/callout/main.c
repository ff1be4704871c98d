/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/descriptors.h"
#include "base/reader.h"
#include "base/rights.h"
#include "base/usage.h"
#include "callout/callout.h"
#include "lease/counters.h"
#include "lease/log.h"

#include <fcntl.h>
#include <signal.h>

/* Whoever runs the call-out may have any descriptors open; a script may have a lock open. */
static void
settle_descriptors(void)
{
    descriptors_close_from(STDERR_FILENO + 1);
    descriptors_settle("/dev/null");
}

static const struct usage usage = {
    "libvirt-vgpu-callout", "-t TYPE -e EVENT -a ACTION -s STATE -u UUID -p PARENT", "mdevctl"};

int
main(int argc, char *argv[])
{
    struct log log;
    struct reader reader = READER_IDLE;
    struct host host = {
        .ops = &host_kernel, .log = &log, .reader = &reader, .config = VGPU_CONFIG, .caller = -1};
    int status;

    settle_descriptors();
    if (usage_answer(&usage, argc, argv, STDOUT_FILENO))
        return 0;
    rights_keep(RIGHTS_TO_LOOK);
    log_open(&log, "libvirt-vgpu-callout", "/dev/log");
    signal(SIGPIPE, SIG_IGN);
    host.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    status = (int)callout_run(&host, argc, argv, STDIN_FILENO, STDERR_FILENO);
    reader_stop(&reader);
    counters_add_lost_lines(&host, log.lost);
    return status;
}
