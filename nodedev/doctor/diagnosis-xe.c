/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Intel's cards under xe. Their virtual functions get the profiles of vgpu.conf. */

#include "base/array.h"
#include "device/pci.h"
#include "device/profile.h"
#include "device/share.h"
#include "doctor/diagnosis.h"
#include "placement/constraints.h"
#include "placement/gpu-room.h"
#include "sriov/sriov-gpu.h"

#include <inttypes.h>
#include <stdio.h>

/* Whether a GPU is such a card. */
static bool
is_under_xe(const struct inventory_gpu *gpu)
{
    return ARRAY_HAS(gpu->parents, gpu->parent_count, parent, (*parent)->interface == &vgpu_xe);
}

/* --- the host's own driver takes them --- */

static void
check_driver(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->inventory.ineligible_count; i++) {
        const struct inventory_ineligible *function = &diagnosis->inventory.ineligible[i];
        struct profile_function self;

        if (profile_find(diagnosis->host, &function->device, &self) < 0 ||
            policy_pool_of(&diagnosis->policy, &function->device))
            continue;
        diagnosis_add(diagnosis, "no guest gets the virtual function %s of the GPU %s, %s",
                      function->device.text, self.card.text, function->why);
        diagnosis_command(diagnosis, "echo %s >/" PCI_DEVICES "/%s/driver/unbind",
                          function->device.text, function->device.text);
        diagnosis_advise(diagnosis, "so that it stays so, before the functions are enabled:");
        diagnosis_command(diagnosis, "echo 0 >/" PCI_DEVICES "/%s/sriov_drivers_autoprobe",
                          self.card.text);
        return;
    }
}

/* --- memory --- */

/* The profile of vgpu.conf that takes the most memory. This tells nothing of the memory that the
 * GPU has: inventory_find_largest is about the types of a driver. */
static const struct inventory_type *
find_largest_profile(const struct inventory_gpu *gpu)
{
    const struct inventory_type *largest = NULL;

    for (size_t i = 0; i < gpu->type_count; i++) {
        if (gpu->types[i].framebuffer > (largest ? largest->framebuffer : 0))
            largest = &gpu->types[i];
    }
    return largest;
}

/* What the shares tell that the functions have now. */
static struct share_sum
read_shares(const struct host *host, const struct inventory_gpu *gpu)
{
    AUTO_FREE uint64_t *shares = memory_zeroed(gpu->parent_count, sizeof(*shares));
    size_t count = 0;

    for (size_t i = 0; gpu->vgpu_count == 0 && i < gpu->parent_count; i++) {
        struct profile_function self;
        unsigned vram;

        if (gpu->parents[i]->interface != &vgpu_xe)
            continue;
        if (profile_find(host, &gpu->parents[i]->name, &self) < 0 ||
            profile_read_vram(host, &self, &vram) < 0)
            return (struct share_sum){0};
        shares[count++] = vram;
    }
    return share_sum(shares, count);
}

/* The driver's shares are the card's own word. Only without it, what is known of such cards is
 * told. */
static void
advise_memory(struct diagnosis *diagnosis, const struct inventory_gpu *gpu)
{
    const struct share_sum sum = read_shares(diagnosis->host, gpu);
    const struct share_known *known = share_known(gpu);
    const char *address = gpu->name.text;

    if (sum.least)
        diagnosis_advise(
            diagnosis,
            "add vram = \"%uM\" for %s to gpus in vgpu.conf: its driver has shared out "
            "that much",
            sum.least, address);
    else if (known)
        diagnosis_advise(diagnosis,
                         "add vram = \"...M\" for %s to gpus in vgpu.conf: Intel's own tool gives "
                         "all functions of such a card %u MiB, or %u MiB if ECC is on",
                         address, known->plain, known->ecc);
    else
        diagnosis_advise(diagnosis, "add vram = \"...G\" for %s to gpus in vgpu.conf", address);
}

static void
check_unstated(struct diagnosis *diagnosis, const struct inventory_gpu *gpu)
{
    if (!is_under_xe(gpu) || inventory_memory(gpu) || !find_largest_profile(gpu))
        return;
    diagnosis_add(diagnosis,
                  "vgpu.conf does not say how much memory the virtual functions of the GPU %s may "
                  "have, and its driver does not tell: that a profile does not fit is only known "
                  "when a start is refused",
                  gpu->name.text);
    advise_memory(diagnosis, gpu);
}

/* 'vgpuctl sriov enable' takes back the memory that the driver shares out. Writing zero before the
 * functions are enabled does not help, because zero means "not set" to the driver. */
static void
advise_enabling_again(struct diagnosis *diagnosis, const struct inventory_gpu *gpu)
{
    AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};
    const char *address = gpu->name.text;
    char count[32] = "";

    if (!constraints_bring_memory(&diagnosis->policy, gpu))
        diagnosis_advise(diagnosis, "add vram = \"...G\" to each profile in vgpu.conf that the GPU "
                                    "may have; then,");
    if (sriov_gpu_read(diagnosis->host, &gpu->name, &card) == 0 && card.enabled < card.total)
        snprintf(count, sizeof(count), " --count %u", (unsigned)card.enabled);
    diagnosis_advise(diagnosis, "without guests on it:");
    diagnosis_command(diagnosis, "vgpuctl sriov disable %s && vgpuctl sriov enable %s%s", address,
                      address, count);
}

/* The driver shares out memory when the functions are enabled, unless values were set before. */
static void
check_preset(struct diagnosis *diagnosis, const struct inventory_gpu *gpu)
{
    const struct limit *memory = inventory_memory(gpu);
    const struct inventory_type *type = memory ? find_largest_profile(gpu) : NULL;
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    uint64_t unused = 0;

    if (!is_under_xe(gpu) || !type || type->framebuffer > gpu->framebuffer)
        return;
    gpu_load_init(&load, gpu, LOAD_EVER);
    for (size_t i = 0; i < gpu->vgpu_count; i++)
        gpu_load_drop(&load, gpu->vgpus[i]);
    if (gpu_room_left(&load, type, NULL).most > 0)
        return;
    for (size_t i = 0; i < gpu->parent_count; i++)
        unused += memory->base[i];
    diagnosis_add(diagnosis,
                  "the virtual functions of the GPU %s have %" PRIu64
                  " of its %u MiB even without a guest, "
                  "so that one with the profile %s (%u MiB) never starts",
                  gpu->name.text, unused, gpu->framebuffer, type->name, type->framebuffer);
    advise_enabling_again(diagnosis, gpu);
}

/* --- migration --- */

/* Emulated cards (tests/cards) have a driver of their own for this. */
static const char *
migration_driver(const struct host *host)
{
    return host_exists(host, "sys/module/vgpu_cards") ? "vgpu-cards-xe-vfio" : "xe-vfio-pci";
}

static void
check_migration(struct diagnosis *diagnosis, const struct inventory_gpu *gpu)
{
    const char *driver = migration_driver(diagnosis->host);

    if (!is_under_xe(gpu) || host_exists(diagnosis->host, "sys/bus/pci/drivers/%s", driver))
        return;
    diagnosis_add(diagnosis,
                  "there is no driver %s, so guests with virtual functions of the GPU %s "
                  "can neither be saved nor migrate",
                  driver, gpu->name.text);
    diagnosis_command(diagnosis, "modprobe %s", driver);
    diagnosis_advise(diagnosis,
                     "and say managed='yes' and <driver model='%s'/> in their hostdevs; without "
                     "that module Intel's driver is too old",
                     driver);
}

const struct diagnosis_check xe_checks[] = {
    {"profile-driver", FINDING_WARNING, .look = check_driver},
    {"profile-memory", FINDING_NOTE, .look_at_gpu = check_unstated},
    {"profile-preset", FINDING_WARNING, .look_at_gpu = check_preset},
    {"profile-migration", FINDING_NOTE, .look_at_gpu = check_migration},
    {0},
};
