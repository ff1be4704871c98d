/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hook.h"
#include "base/descriptors.h"
#include "base/rights.h"
#include "lease/this-host.h"

#include <signal.h>

int
main(int argc, char *argv[])
{
    struct this_host here;

    descriptors_keep_standard("/dev/null");
    rights_keep(RIGHTS_TO_CHANGE);
    signal(SIGPIPE, SIG_IGN); /* libvirt may be gone when the hook answers */
    this_host_open(&here, "/", "libvirt-vgpu-hook", "/dev/log");
    here.host.caller = STDERR_FILENO;
    return this_host_close(&here, hook_run(&here.host, geteuid() == 0, argc, argv, STDIN_FILENO,
                                           STDOUT_FILENO, STDERR_FILENO));
}
