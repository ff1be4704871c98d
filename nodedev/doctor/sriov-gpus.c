/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/sriov-gpus.h"
#include "base/array.h"
#include "device/pci.h"

#include <string.h>

/* Whether the kernel's own driver for NVIDIA's cards drives a card. That driver makes vGPUs by
 * ioctls, and shows none in /sys. */
static bool
is_of_nova(const struct host *host, const struct sriov_gpu *card)
{
    return ARRAY_HAS(card->functions.items, card->functions.count, function,
                     !strcmp(pci_driver(host, function).text, "nvidia-vgpu-vfio-pci"));
}

static bool
is_one(const struct host *host, const struct sriov_gpu *card, enum diagnosis_cards which)
{
    return which == CARDS_OF_ALL || (sriov_gpu_is_nvidias(host, &card->address) &&
                                     is_of_nova(host, card) == (which == CARDS_OF_NOVA));
}

void
sriov_gpus_visit(struct diagnosis *diagnosis, enum diagnosis_cards which,
                 void (*visit)(struct diagnosis *diagnosis, const struct sriov_gpu *card))
{
    AUTO(names_clear) struct names devices = {0};

    if (host_list(diagnosis->host, &devices, PCI_DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++) {
        const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, &devices.items[i]);
        AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};

        if ((!said || said->enabled) &&
            sriov_gpu_read(diagnosis->host, &devices.items[i], &card) == 0 &&
            is_one(diagnosis->host, &card, which))
            visit(diagnosis, &card);
    }
}
