/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NVIDIA's cards. NVIDIA supports no other way to enable functions than its own tool. */

#include "vendor/card-vendor.h"
#include "base/array.h"
#include "device/pci.h"
#include "vendor/nvidia-scheduler.h"
#include "vendor/vendor-tool.h"

#include <string.h>

static int
set_functions(const struct host *host, const struct name *card, bool on, struct error *error)
{
    return vendor_tool_run(host, (const char *[]){SRIOV_MANAGE, on ? "-e" : "-d", card->text, NULL},
                           error);
}

static const char *const drivers[] = {"nvidia", NULL};

/* Cards of before Ampere give vGPUs without virtual functions. The cards of data centers are 3D
 * controllers (PCI class 0302); a card for screens is not one of them. */
static bool
is_for_data_centers(const struct host *host, const struct name *card)
{
    char class[16];

    return host_read(host, class, sizeof(class), PCI_DEVICES "/%s/class", card->text) > 0 &&
           !strncmp(class, "0x0302", strlen("0x0302"));
}

/* Boards of Hopper by their PCI device ids (pci.ids). NVIDIA's documents on live migration (NVIDIA
 * AI Enterprise 8 and 9) name these three. */
static const char *
family(const char *device)
{
    static const struct board {
        const char *device, *family;
    } boards[] = {
        {"2313", "H100"}, {"2321", "H100"}, {"2330", "H100"}, {"2331", "H100"},
        {"2336", "H100"}, {"2339", "H100"}, {"2335", "H200"}, {"233b", "H200"},
        {"2322", "H800"}, {"2324", "H800"}, {"233a", "H800"},
    };
    const struct board *found =
        ARRAY_FIND(boards, COUNT(boards), board, !strcmp(board->device, device));

    return found ? found->family : NULL;
}

const struct card_vendor card_vendor_nvidia = {
    .id = "10de",
    .name = "NVIDIA",
    .types = &vendor_nvidia,
    .set_functions = set_functions,
    .function_tool = "sriov-manage",
    .lists_types = true,
    .untold_driver = "nvidia",
    .drivers = drivers,
    .driver_name = "NVIDIA's vGPU manager, which is the driver nvidia of its vGPU software",
    .driver_advice = "install the vGPU manager for this host, from NVIDIA's licensing portal, in "
                     "place of any other driver of the card; boot, or load it",
    .driver_command = "modprobe nvidia",
    .may_give = is_for_data_centers,
    .ask = nvidia_smi_read,
    .scheduler = nvidia_scheduler_read,
    .needs_iommu = true,
    .needs_alike_drivers = true,
    .family = family,
    .families = "NVIDIA moves no vGPU between H100, H200 and H800",
};
