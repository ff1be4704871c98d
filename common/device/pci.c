/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/pci.h"
#include "base/array.h"

#include <limits.h>
#include <stdio.h>
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

/* --- a GPU's own device, whatever interface its vGPUs have ------------------------------------ */

/* Reads "0x10de" without its 0x. A device that is not on PCI has no id. */
static void
read_id(const struct host *host, const struct path *device, const char *what, char ret[8])
{
    char text[16];

    if (host_read(host, text, sizeof(text), "%s/%s", device->text, what) > 2 &&
        !strncmp(text, "0x", 2))
        snprintf(ret, 8, "%.7s", text + 2);
}

void
gpu_describe(const struct host *host, const struct path *device, struct inventory_gpu *gpu)
{
    uint64_t node;

    /* A device without a node has "-1" there, which is no number here. */
    if (host_read_number(host, &node, "%s/numa_node", device->text) == 0 && node <= INT_MAX)
        gpu->numa = (int)node;
    read_id(host, device, "vendor", gpu->vendor);
    read_id(host, device, "device", gpu->device);
    read_id(host, device, "subsystem_vendor", gpu->subsystem_vendor);
    read_id(host, device, "subsystem_device", gpu->subsystem_device);
    if (host_link(host, &gpu->driver, "%s/driver", device->text) < 0)
        gpu->driver = (struct name){0};
}

struct inventory_gpu *
gpu_add_pci(const struct host *host, const struct name *address, struct inventory *inventory)
{
    size_t known = inventory->gpu_count;
    struct inventory_gpu *gpu = inventory_add_gpu(inventory, address);
    struct path device;

    if (gpu->index == known && path_format(&device, "sys/bus/pci/devices/%s", address->text) == 0)
        gpu_describe(host, &device, gpu);
    return gpu;
}

/* --- what is on a card, and can be somebody's ------------------------------------------------- */

#define PARENTS "sys/class/mdev_bus"

static void
add_mediated(const struct host *host, const struct name *parent, struct occupants *ret)
{
    AUTO(names_clear) struct names entries = {0};

    if (host_list(host, &entries, PARENTS "/%s", parent->text) < 0)
        return;
    for (size_t i = 0; i < entries.count; i++) {
        struct occupant occupant;

        if (name_parse_uuid(&occupant.device, entries.items[i].text) == 0 &&
            path_format(&occupant.directory, PARENTS "/%s/%s", parent->text,
                        entries.items[i].text) == 0)
            ARRAY_ADD(ret->items, ret->count, occupant);
    }
}

static void
add_function(const struct host *host, const struct name *card, const char *link,
             struct occupants *ret)
{
    struct occupant occupant;

    if (host_link(host, &occupant.device, PCI_DEVICES "/%s/%s", card->text, link) < 0 ||
        path_format(&occupant.directory, PCI_DEVICES "/%s", occupant.device.text) < 0)
        return;
    ARRAY_ADD(ret->items, ret->count, occupant);
    add_mediated(host, &occupant.device, ret);
}

void
occupants_list(const struct host *host, const struct name *card, struct occupants *ret)
{
    static const char function[] = "virtfn";
    AUTO(names_clear) struct names entries = {0};

    add_mediated(host, card, ret);
    if (host_list(host, &entries, PCI_DEVICES "/%s", card->text) < 0)
        return;
    for (size_t i = 0; i < entries.count; i++) {
        if (!strncmp(entries.items[i].text, function, strlen(function)))
            add_function(host, card, entries.items[i].text, ret);
    }
}

void
occupants_clear(struct occupants *occupants)
{
    free(occupants->items);
    *occupants = (struct occupants){0};
}
