/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NVIDIA's cards. NVIDIA supports no other way to enable functions than its own tool. */

#include "vendor/card-vendor.h"
#include "vendor/nvidia-scheduler.h"
#include "vendor/vendor-tool.h"

static int
set_functions(const struct host *host, const struct name *card, bool on, struct error *error)
{
    return vendor_tool_run(host, (const char *[]){SRIOV_MANAGE, on ? "-e" : "-d", card->text, NULL},
                           error);
}

const struct card_vendor card_vendor_nvidia = {
    .id = "10de",
    .name = "NVIDIA",
    .types = &vendor_nvidia,
    .set_functions = set_functions,
    .function_tool = "sriov-manage",
    .lists_types = true,
    .untold_driver = "nvidia",
    .ask = nvidia_smi_read,
    .scheduler = nvidia_scheduler_read,
    .needs_iommu = true,
    .needs_alike_drivers = true,
};
