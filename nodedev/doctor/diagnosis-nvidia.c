/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NVIDIA's cards whose driver is loaded and offers no types. */

#include "base/array.h"
#include "device/nvidia-number.h"
#include "device/nvidia-table.h"
#include "device/nvidia.h"
#include "device/pci.h"
#include "device/scan.h"
#include "doctor/diagnosis.h"

#include <string.h>

#define CLASS_VGA "0x0300"

/* Whether the configuration disables a card. */
static bool
is_left_alone(const struct diagnosis *diagnosis, const struct name *card)
{
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, card);

    return said && !said->enabled;
}

/* --- GPU instances without types --- */

/* After GPU instances were made again, the driver's list of types may stay empty. It is filled when
 * nvidia-vgpud runs again and tells the driver its types. nvidia-vgpud runs once and ends, so a
 * restart disturbs no guest. */
static void
check_instances(struct diagnosis *diagnosis, const struct inventory_gpu *gpu)
{
    bool one = gpu->instances == 1;

    if (!inventory_lacks_types(gpu) || is_left_alone(diagnosis, &gpu->name))
        return;
    diagnosis_add(diagnosis,
                  "the GPU %s has %u GPU instance%s (MIG), and its driver offers no type for %s",
                  gpu->name.text, gpu->instances, one ? "" : "s", one ? "it" : "them");
    diagnosis_command(diagnosis, "systemctl restart nvidia-vgpud");
    diagnosis_advise(diagnosis, "if it offers none then:");
    diagnosis_command(diagnosis, "systemctl status nvidia-vgpud nvidia-vgpu-mgr");
}

/* --- an idle card that offers nothing --- */

static void
tell_idle(struct diagnosis *diagnosis, const struct inventory_gpu *gpu)
{
    if (!inventory_withholds(gpu) || strcmp(gpu->driver.text, "nvidia") ||
        is_left_alone(diagnosis, &gpu->name))
        return;
    diagnosis_add(diagnosis, "the GPU %s offers none of its %zu types, though it has no vGPU",
                  gpu->name.text, gpu->type_count);
    diagnosis_advise(diagnosis, "the log of its driver's services may say why:");
    diagnosis_command(diagnosis, "journalctl -b -u nvidia-vgpud -u nvidia-vgpu-mgr");
    diagnosis_advise(diagnosis, "its modes (virtualization has to be Host VGPU; MIG, and ECC under "
                                "an old driver, had best be off) and its processes:");
    diagnosis_command(diagnosis, "nvidia-smi -q -i %s", gpu->name.text);
    diagnosis_advise(diagnosis, "an M60 or M6 also has to be in graphics mode (gpumodeswitch)");
}

/* The figures of all types are read for this check alone. A Tesla P4 was seen with 14 types that
 * were all 0, and its driver made one all the same. So this is no full card. */
static void
check_idle(struct diagnosis *diagnosis)
{
    AUTO(inventory_clear) struct inventory inventory = {0};
    struct error ignored;

    if (scan_host(diagnosis->host, &diagnosis->policy, &inventory_all_types, &inventory, &ignored) <
        0)
        return;
    for (size_t i = 0; i < inventory.gpu_count; i++)
        tell_idle(diagnosis, inventory.gpus[i]);
}

/* --- NVIDIA's table of types --- */

/* The hook passes a table over that it cannot read, and logs that only once. */
static void
check_table(struct diagnosis *diagnosis)
{
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    struct error error = {0};
    int rc;

    if (!ARRAY_HAS(diagnosis->inventory.gpus, diagnosis->inventory.gpu_count, gpu,
                   !strcmp((*gpu)->vendor, NVIDIA_VENDOR)))
        return;
    rc = nvidia_table_read(diagnosis->host, NVIDIA_TABLE_PATH, NULL, 0, &table, &error);
    if (rc == 0 || rc == -ENOENT)
        return;
    diagnosis_add(diagnosis, "%s", error.text);
    diagnosis_advise(diagnosis,
                     "without it, a card whose driver tells no maximum needs max_instances in "
                     "/%s/vgpu.conf",
                     diagnosis->host->config);
}

/* --- display mode --- */

/* Workstation cards for which NVIDIA sells vGPUs, by their PCI ids (g_nv_name_released.h of its
 * open kernel modules): RTX A6000, A5000, A5500; RTX 6000, 5000 and 5880 Ada; RTX PRO 6000, 5000,
 * 6000 Max-Q (Blackwell). */
static const char *const workstations[] = {"2230", "2231", "2233", "26b1", "26b2",
                                           "26b3", "2bb1", "2bb3", "2bb4"};

static bool
has(const struct host *host, const struct name *device, const char *what, const char *begin)
{
    char text[16];

    return host_read(host, text, sizeof(text), PCI_DEVICES "/%s/%s", device->text, what) > 0 &&
           !strncmp(text, begin, strlen(begin));
}

static bool
is_workstation(const struct host *host, const struct name *device)
{
    char text[16];

    return has(host, device, "vendor", "0x10de") &&
           host_read(host, text, sizeof(text), PCI_DEVICES "/%s/device", device->text) > 2 &&
           ARRAY_HAS(workstations, COUNT(workstations), id, !strcmp(*id, text + 2));
}

/* In graphics mode such a card is a VGA adapter without an SR-IOV capability. */
static void
check_card(struct diagnosis *diagnosis, const struct name *device)
{
    const struct host *host = diagnosis->host;

    if (!is_workstation(host, device) || !has(host, device, "class", CLASS_VGA) ||
        !nvidia_has_host_driver(host, device) || is_left_alone(diagnosis, device) ||
        host_exists(host, PCI_DEVICES "/%s/sriov_totalvfs", device->text))
        return;
    diagnosis_add(
        diagnosis,
        "the GPU %s has no SR-IOV capability, and so offers no vGPUs: it is a workstation "
        "card in graphics mode",
        device->text);
    diagnosis_advise(diagnosis, "if no monitor needs it, unload NVIDIA's driver, and set this card "
                                "to compute mode with NVIDIA's Display Mode Selector:");
    diagnosis_command(diagnosis, "displaymodeselector --gpumode compute");
    diagnosis_advise(diagnosis, "then boot; else say \"enabled = false\" for it in vgpu.conf");
}

static void
check_modes(struct diagnosis *diagnosis)
{
    AUTO(names_clear) struct names devices = {0};

    if (host_list(diagnosis->host, &devices, PCI_DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++)
        check_card(diagnosis, &devices.items[i]);
}

const struct diagnosis_check nvidia_checks[] = {
    {"mig-types", FINDING_WARNING, .look_at_gpu = check_instances},
    {"idle-types", FINDING_WARNING, .look = check_idle},
    {"types-table", FINDING_WARNING, .look = check_table},
    {"display-mode", FINDING_WARNING, .look = check_modes},
    {0},
};
