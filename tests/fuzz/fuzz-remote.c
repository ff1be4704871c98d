/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For any answers of another host's libvirt, the result is a complete and consistent answer, or a
 * problem. */

#include "fuzz/fuzz.h"
#include "libvirt/remote.h"
#include "device/vgpu.h"
#include "placement/gpu-room.h"

#include <string.h>

static void
must_hold_together(const struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = inventory->parents[i];

        MUST(parent->gpu->parents[parent->index] == parent);
        MUST((parent->interface->hostdev == REQUEST_PCI) == parent->gpu->is_partial);
    }
    for (size_t i = 0; i < inventory->vgpu_count; i++)
        MUST(inventory->vgpus[i]->parent->gpu->vgpu_count > 0);
    for (size_t k = 0; k < inventory->gpu_count; k++) {
        const struct inventory_gpu *gpu = inventory->gpus[k];
        struct gpu_load load;

        MUST((gpu->type_count == 0) == gpu->is_partial);
        MUST(*gpu->name.text);
        gpu_load_init(&load, gpu, LOAD_NOW);
        for (size_t i = 0; i < gpu->type_count; i++) {
            const struct bounds left = gpu_room_left(&load, &gpu->types[i], NULL);

            MUST(*gpu->types[i].name);
            MUST(left.least <= left.most);
        }
        gpu_load_clear(&load);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct remote_hosts hosts = {.items = calloc(1, sizeof(*hosts.items)), .count = 1};
    struct remote_host *host = hosts.items;

    host->uri = "qemu://gpu1/system";
    remote_read(host, (const char *)data, size);
    MUST(!strpbrk(host->failure.text, "\n\033"));
    if (*host->failure.text) {
        MUST(!host->inventory.gpus && !host->domains.items);
    } else {
        must_hold_together(&host->inventory);
        for (size_t i = 0; i < host->domains.count; i++)
            MUST(*host->domains.items[i].uuid.text && host->domains.items[i].name);
    }
    remote_clear(&hosts);
    return 0;
}
