/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/pci.h"

#include <string.h>

int
pci_find_card(const struct host *host, const struct name *device, struct name *ret)
{
    int rc = host_link(host, ret, PCI_DEVICES "/%s/physfn", device->text);

    if (rc < 0)
        *ret = *device;
    return rc;
}

bool
pci_is_of(const struct host *host, const struct name *device, const char *vendor)
{
    char text[16];

    return host_read(host, text, sizeof(text), PCI_DEVICES "/%s/vendor", device->text) > 2 &&
           !strcmp(text + strlen("0x"), vendor);
}

struct name
pci_driver(const struct host *host, const struct name *device)
{
    struct name driver;

    if (host_link(host, &driver, PCI_DEVICES "/%s/driver", device->text) < 0)
        driver = (struct name){0};
    return driver;
}

bool
pci_is_gpu(const struct host *host, const struct name *device)
{
    char class[16];

    return host_read(host, class, sizeof(class), PCI_DEVICES "/%s/class", device->text) > 4 &&
           (!strncmp(class, "0x03", 4) || !strncmp(class, "0x12", 4));
}
