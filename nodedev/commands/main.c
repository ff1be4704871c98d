/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/descriptors.h"
#include "base/reader.h"
#include "program/program.h"
#include "cli/vgpuctl.h"
#include "commands/commands.h"
#include "lease/counters.h"
#include "lease/log.h"

#include <fcntl.h>
#include <stdlib.h>

static const struct host here = {.ops = &host_kernel,
                                 .config = VGPU_CONFIG,
                                 .hooks = VGPU_HOOKS,
                                 .hook = VGPU_HOOK,
                                 .module = VGPU_MODULE,
                                 .caller = -1,
                                 .run = program_run};

int
main(int argc, char *argv[])
{
    struct log log;
    struct reader reader = READER_IDLE;
    struct host host = here;
    struct terminal terminal = terminal_find(getenv("NO_COLOR"), getenv("TERM"));
    int status;

    descriptors_settle("/dev/null");
    host.log = &log;
    host.reader = &reader;
    log_open(&log, "vgpuctl", "/dev/log");
    host.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    status = vgpuctl_run(&host, commands, "qemu:///system", &terminal, argc, argv, stdout, stderr);
    reader_stop(&reader);
    counters_add_lost_lines(&host, log.lost);
    return status;
}
