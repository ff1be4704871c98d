/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sriov/sriov-gpu.h"
#include "device/pci.h"
#include "policy/setting.h"

#include <string.h>

void
sriov_gpu_clear(struct sriov_gpu *card)
{
    names_clear(&card->functions);
}

static int
find_functions(const struct host *host, struct sriov_gpu *card)
{
    AUTO(names_clear) struct names names = {0};
    int rc = host_list(host, &names, PCI_DEVICES "/%s", card->address.text);

    for (size_t i = 0; rc == 0 && i < names.count; i++) {
        struct name function;

        if (!strncmp(names.items[i].text, "virtfn", strlen("virtfn")) &&
            host_link(host, &function, PCI_DEVICES "/%s/%s", card->address.text,
                      names.items[i].text) == 0)
            names_append(&card->functions, &function);
    }
    names_sort(&card->functions);
    return rc;
}

int
sriov_gpu_read(const struct host *host, const struct name *address, struct sriov_gpu *ret)
{
    int rc;

    *ret = (struct sriov_gpu){.address = *address};
    rc = host_read_number(host, &ret->total, PCI_DEVICES "/%s/sriov_totalvfs", address->text);
    if (rc < 0 || ret->total == 0)
        return rc < 0 ? rc : -ENOENT;
    rc = host_read_number(host, &ret->enabled, PCI_DEVICES "/%s/sriov_numvfs", address->text);
    return rc < 0 ? rc : find_functions(host, ret);
}

uint64_t
sriov_gpu_wanted(const struct policy_setup *said, const struct sriov_gpu *card)
{
    return said->functions == SETTING_ALL ? card->total : said->functions;
}

bool
sriov_gpu_is_off(const struct host *host, const struct name *address)
{
    AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};

    return sriov_gpu_read(host, address, &card) == 0 && card.enabled == 0;
}

/* vgpu.conf may call any device a GPU. */
static bool
is_gpu(const struct host *host, const struct snapshot *snapshot, const struct name *address)
{
    return pci_is_gpu(host, address) || policy_find_gpu(&snapshot->policy, address) ||
           inventory_find_gpu(&snapshot->inventory, address);
}

int
sriov_gpu_list(const struct host *host, const struct snapshot *snapshot, bool gpus,
               struct names *ret)
{
    AUTO(names_clear) struct names devices = {0};
    int rc = host_list(host, &devices, PCI_DEVICES);

    for (size_t i = 0; rc == 0 && i < devices.count; i++) {
        const struct name *device = &devices.items[i];

        if (host_exists(host, PCI_DEVICES "/%s/sriov_totalvfs", device->text) &&
            is_gpu(host, snapshot, device) == gpus)
            names_append(ret, device);
    }
    return rc;
}

bool
sriov_gpu_is_for_boot(const struct host *host, const struct name *address)
{
    return host_exists(host, BOOT_UNITS SRIOV_GPU_UNIT, address->text);
}
