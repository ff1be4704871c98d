/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/usage.h"

#include <stdio.h>
#include <string.h>

bool
usage_answer(const struct usage *usage, int argc, char *const argv[], int output)
{
    if (argc != 2)
        return false;
    if (!strcmp(argv[1], "--version")) {
        dprintf(output, "%s (libvirt-vgpu) " VGPU_VERSION "\n", usage->program);
        return true;
    }
    if (!strcmp(argv[1], "--help")) {
        dprintf(output, "Usage: %s %s\n%s runs this program; see 'man %s'.\n", usage->program,
                usage->arguments, usage->caller, usage->program);
        return true;
    }
    return false;
}
