/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/gpu.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

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
