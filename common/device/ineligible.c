/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/ineligible.h"
#include "base/array.h"
#include "device/pci.h"

#include <stdio.h>
#include <string.h>

void
ineligible_explain(const struct host *host, const struct name *device, char *text, size_t size)
{
    struct name driver = pci_driver(host, device), gpu;
    bool is_function = pci_find_card(host, device, &gpu) == 0;

    if (!host_exists(host, PCI_DEVICES "/%s", device->text)) {
        snprintf(text, size, "which this host does not have");
        return;
    }
    if (!*driver.text)
        driver = (struct name){"none"};
    if (!is_function)
        snprintf(text, size, "which is no virtual function (its driver is %s)", driver.text);
    else if (!strcmp(driver.text, "vfio-pci"))
        snprintf(text, size,
                 "which is bound to vfio-pci and not to the driver of its GPU %s, as managed='yes' "
                 "leaves it; see 'virsh nodedev-reattach'",
                 gpu.text);
    else
        snprintf(text, size, "of which its driver (%s) makes no vGPUs", driver.text);
}

void
ineligible_add(const struct host *host, const struct name *device, struct inventory *inventory)
{
    struct inventory_ineligible ineligible = {.device = *device};

    if (inventory_find_parent(inventory, device) ||
        ARRAY_HAS(inventory->ineligible, inventory->ineligible_count, known,
                  name_equal(&known->device, device)))
        return;
    ineligible_explain(host, device, ineligible.why, sizeof(ineligible.why));
    ARRAY_ADD(inventory->ineligible, inventory->ineligible_count, ineligible);
}
