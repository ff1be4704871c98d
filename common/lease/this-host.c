/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/this-host.h"
#include "lease/counters.h"

#include <fcntl.h>

void
this_host_open(struct this_host *here, const char *root, const char *program, const char *socket)
{
    here->reader = READER_IDLE;
    here->host = (struct host){.ops = &host_kernel,
                               .log = &here->log,
                               .reader = &here->reader,
                               .config = VGPU_CONFIG,
                               .caller = -1,
                               .root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    log_open(&here->log, program, socket);
}

int
this_host_close(struct this_host *here, int status)
{
    reader_stop(&here->reader);
    counters_add_lost_lines(&here->host, here->log.lost);
    return status;
}
