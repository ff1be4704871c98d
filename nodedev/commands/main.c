/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/descriptors.h"
#include "cli/vgpuctl.h"
#include "commands/commands.h"
#include "lease/this-host.h"
#include "program/program.h"

#include <stdlib.h>

int
main(int argc, char *argv[])
{
    struct this_host here;
    struct terminal terminal = terminal_find(getenv("NO_COLOR"), getenv("TERM"));

    descriptors_settle("/dev/null");
    this_host_open(&here, "/", "vgpuctl", "/dev/log");
    here.host.hooks = VGPU_HOOKS;
    here.host.hook = VGPU_HOOK;
    here.host.module = VGPU_MODULE;
    here.host.run = program_run;
    return this_host_close(&here, vgpuctl_run(&here.host, commands, "qemu:///system", &terminal,
                                              argc, argv, stdout, stderr));
}
