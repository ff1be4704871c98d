/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/sriov-gpus.h"
#include "device/pci.h"

void
sriov_gpus_visit(struct diagnosis *diagnosis, const struct diagnosis_check *check)
{
    AUTO(names_clear) struct names devices = {0};

    if (host_list(diagnosis->host, &devices, PCI_DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++) {
        const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, &devices.items[i]);
        AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};

        if ((!said || said->enabled) &&
            sriov_gpu_read(diagnosis->host, &devices.items[i], &card) == 0 &&
            (!check->concerns || check->concerns(diagnosis->host, &card)))
            check->look_at_card(diagnosis, &card);
    }
}
