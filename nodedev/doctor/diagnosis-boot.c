/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The setup that a card loses at a boot, or when its driver is loaded again. An administrator
 * prepares a card in these steps (NVIDIA's user guide): MIG mode, virtual functions, GPU instances,
 * and the mode for several sizes. Enabling virtual functions removes GPU instances. Only the first
 * lost step is told, because the steps after it cannot be right.
 */

#include "doctor/former-setup.h"
#include "base/array.h"
#include "doctor/checks.h"
#include "placement/gpu-room.h"

#include <string.h>

#define UNIT "libvirt-vgpu-sriov@%s"

struct boot_card {
    const struct sriov_gpu *sriov;
    const struct former_setup *former;
    const struct inventory_gpu *gpu; /* NULL: the card has no vGPUs and offers none */
};

/* Whether the card would make a type now: a type of GPU instances, or one that shares the card in
 * time. */
static bool
offers(const struct inventory_gpu *gpu, bool instances)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    bool found = false;

    if (!gpu)
        return false;
    gpu_load_init(&load, gpu, LOAD_NOW);
    for (size_t i = 0; i < gpu->type_count; i++)
        found |= gpu_room_left(&load, &gpu->types[i], NULL).most > 0 &&
                 (gpu->types[i].slices > 0) == instances;
    return found;
}

static bool
check_mode(struct diagnosis *diagnosis, const struct boot_card *card)
{
    const char *address = card->sriov->address.text;

    if (!*card->former->instance || !offers(card->gpu, false))
        return false;
    diagnosis_add(diagnosis,
                  "the GPU %s is not in MIG mode, which a boot may have taken away: it offers no "
                  "types of GPU instances, and is to have %s (%s)",
                  address, card->former->instance, card->former->says_instance);
    diagnosis_advise(diagnosis, "shut down the guests on it, then:");
    diagnosis_command(diagnosis, "vgpuctl sriov disable %s", address);
    diagnosis_command(diagnosis, "nvidia-smi -i %s -mig 1", address);
    diagnosis_command(diagnosis, "vgpuctl sriov enable %s", address);
    diagnosis_command(diagnosis, "nvidia-smi mig -i %s -cgi PROFILE -C", address);
    return true;
}

static bool
check_functions(struct diagnosis *diagnosis, const struct boot_card *card)
{
    const struct former_setup *former = card->former;
    const char *address = card->sriov->address.text;

    if (card->sriov->enabled || !former_setup_has_functions(former))
        return false;
    if (former->is_for_boot)
        diagnosis_add(diagnosis,
                      "the GPU %s has no virtual functions, although " UNIT " is to enable them "
                      "at boot",
                      address, address);
    else
        diagnosis_add(
            diagnosis, "the GPU %s has no virtual functions, and is to have vGPUs on them (%s)",
            address, *former->instance ? former->says_instance : former->sizes[1]->domain_name);
    if (*former->instance) {
        diagnosis_advise(diagnosis, "first MIG mode, which a boot may have taken away:");
        diagnosis_command(diagnosis, "nvidia-smi -i %s -mig 1", address);
    }
    diagnosis_command(diagnosis, "systemctl enable " UNIT, address);
    diagnosis_command(diagnosis, "systemctl restart " UNIT, address);
    if (!*former->instance) {
        diagnosis_advise(diagnosis, "if that fails, it says why:");
        diagnosis_command(diagnosis, "systemctl status " UNIT, address);
    }
    return true;
}

/* A card that has a vGPU may have given all its instances away. "mig-types" tells of a card that
 * has some instances. */
static bool
check_instances(struct diagnosis *diagnosis, const struct boot_card *card)
{
    const char *address = card->sriov->address.text;

    if (!*card->former->instance || !card->gpu || card->gpu->is_silent ||
        inventory_offers(card->gpu) || inventory_lacks_types(card->gpu))
        return false;
    diagnosis_add(diagnosis,
                  "the GPU %s has no GPU instances: a boot removes them, and so does enabling its "
                  "virtual functions; it is to have %s (%s)",
                  address, card->former->instance, card->former->says_instance);
    diagnosis_command(diagnosis, "nvidia-smi mig -i %s -cgi PROFILE -C", address);
    diagnosis_advise(diagnosis, "the profiles that there are:");
    diagnosis_command(diagnosis, "nvidia-smi mig -i %s -lgip", address);
    diagnosis_advise(diagnosis, "if there are instances:");
    diagnosis_command(diagnosis, "systemctl status nvidia-vgpud nvidia-vgpu-mgr");
    return true;
}

/* The loss shows only while the card has a vGPU. An empty card offers all sizes in either mode. */
static bool
check_sizes(struct diagnosis *diagnosis, const struct boot_card *card)
{
    const char *address = card->sriov->address.text;
    const struct lease *const *sizes = card->former->sizes;

    if (!sizes[1] || !card->gpu || card->gpu->vgpu_count == 0 || !card->gpu->one_size)
        return false;
    diagnosis_add(diagnosis,
                  "the GPU %s takes vGPUs of one size only, and had several: %s of %s and %s of "
                  "%s; a reload of its driver takes that mode away",
                  address, sizes[0]->vgpu.type.text, sizes[0]->domain_name,
                  sizes[1]->vgpu.type.text, sizes[1]->domain_name);
    diagnosis_advise(diagnosis, "without vGPUs on it:");
    diagnosis_command(diagnosis, "nvidia-smi vgpu -i %s -shm 1", address);
    return true;
}

static void
check_card(struct diagnosis *diagnosis, const struct sriov_gpu *sriov)
{
    static bool (*const steps[])(struct diagnosis * diagnosis, const struct boot_card *card) = {
        check_mode, check_functions, check_instances, check_sizes};
    struct former_setup former;
    struct boot_card card = {
        .sriov = sriov,
        .former = &former,
        .gpu = inventory_find_gpu(&diagnosis->inventory, &sriov->address),
    };

    former_setup_read(diagnosis, sriov, &former);
    for (size_t i = 0; i < COUNT(steps) && !steps[i](diagnosis, &card); i++)
        ;
}

const struct diagnosis_check boot_checks[] = {
    {"boot-order", DIAGNOSIS_WARNING, .look_at_card = check_card, .cards = CARDS_OF_ALL},
    {0},
};
