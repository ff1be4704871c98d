/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/descriptors.h"
#include "base/rights.h"
#include "base/usage.h"
#include "callout/callout.h"
#include "lease/this-host.h"

#include <signal.h>

static const struct usage usage = {
    "libvirt-vgpu-callout", "-t TYPE -e EVENT -a ACTION -s STATE -u UUID -p PARENT", "mdevctl"};

int
main(int argc, char *argv[])
{
    struct this_host here;

    descriptors_keep_standard("/dev/null");
    if (usage_answer(&usage, argc, argv, STDOUT_FILENO))
        return 0;
    rights_keep(RIGHTS_TO_LOOK);
    signal(SIGPIPE, SIG_IGN);
    this_host_open(&here, "/", "libvirt-vgpu-callout", "/dev/log");
    return this_host_close(&here,
                           (int)callout_run(&here.host, argc, argv, STDIN_FILENO, STDERR_FILENO));
}
