/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/pci.h"

int
pci_find_card(const struct host *host, const struct name *device, struct name *ret)
{
    int rc = host_link(host, ret, PCI_DEVICES "/%s/physfn", device->text);

    if (rc < 0)
        *ret = *device;
    return rc;
}

struct name
pci_driver(const struct host *host, const struct name *device)
{
    struct name driver;

    if (host_link(host, &driver, PCI_DEVICES "/%s/driver", device->text) < 0)
        driver = (struct name){0};
    return driver;
}
