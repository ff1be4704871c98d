/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/version.h"

#include <stdio.h>

struct version
version_text(unsigned number)
{
    struct version ret = {"?"};

    if (number)
        snprintf(ret.text, sizeof(ret.text), "%u.%u.%u", number / 1000000, number / 1000 % 1000,
                 number % 1000);
    return ret;
}

bool
version_lacks_functions(unsigned libvirt)
{
    return libvirt && libvirt < VERSION_GIVES_FUNCTIONS;
}

bool
version_lacks(unsigned libvirt, const struct vgpu_interface *interface)
{
    return interface->hostdev == REQUEST_PCI && !interface->is_managed &&
           version_lacks_functions(libvirt);
}

struct version_lack
version_lack(unsigned libvirt)
{
    struct version_lack ret;

    snprintf(ret.what, sizeof(ret.what),
             "libvirt %s gives no guest a virtual function that keeps its driver",
             version_text(libvirt).text);
    snprintf(ret.remedy, sizeof(ret.remedy), "install libvirt %s or later",
             version_text(VERSION_GIVES_FUNCTIONS).text);
    return ret;
}

int
version_refuse(unsigned libvirt, const struct demand *demand, const struct name *device,
               struct error *error)
{
    const struct version_lack lack = version_lack(libvirt);

    error_refuse(error, ERROR_NEVER, "%s (%s) cannot be on %s: %s; %s", demand->label,
                 demand->wanted, device->text, lack.what, lack.remedy);
    error->line = demand_line(demand);
    return REFUSED;
}
