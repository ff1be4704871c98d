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

struct place {
    const struct sriov_gpu *card;
    const struct former_setup *former;
    size_t gpu; /* in the inventory; SIZE_MAX: the card has no vGPUs and offers none */
};

/* Whether the card would make a type now: a type of GPU instances, or one that shares the card in
 * time. */
static bool
offers(const struct diagnosis *diagnosis, const struct place *place, bool instances)
{
    const struct inventory *inventory = &diagnosis->inventory;
    AUTO(gpu_load_clear) struct gpu_load room = {0};
    bool found = false;

    if (place->gpu == SIZE_MAX)
        return false;
    gpu_load_init(&room, inventory, place->gpu, LOAD_NOW);
    for (size_t i = 0; i < inventory->gpus[place->gpu].count; i++)
        found |= gpu_room_left(&room, i, NULL).most > 0 &&
                 (inventory->gpus[place->gpu].types[i].slices > 0) == instances;
    return found;
}

static bool
check_mode(struct diagnosis *diagnosis, const struct place *place)
{
    const char *address = place->card->address.text;

    if (!*place->former->instance || !offers(diagnosis, place, false))
        return false;
    diagnosis_add(diagnosis,
                  "the GPU %s is not in MIG mode, which a boot may have taken away: it offers no "
                  "types of GPU instances, and is to have %s (%s)",
                  address, place->former->instance, place->former->says_instance);
    diagnosis_advise(diagnosis, "shut down the guests on it, then:");
    diagnosis_command(diagnosis, "vgpuctl sriov disable %s", address);
    diagnosis_command(diagnosis, "nvidia-smi -i %s -mig 1", address);
    diagnosis_command(diagnosis, "vgpuctl sriov enable %s", address);
    diagnosis_command(diagnosis, "nvidia-smi mig -i %s -cgi PROFILE -C", address);
    return true;
}

static bool
check_functions(struct diagnosis *diagnosis, const struct place *place)
{
    const struct former_setup *former = place->former;
    const char *address = place->card->address.text;

    if (place->card->enabled || !former_setup_has_functions(former))
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
check_instances(struct diagnosis *diagnosis, const struct place *place)
{
    const char *address = place->card->address.text;

    if (!*place->former->instance || place->gpu == SIZE_MAX ||
        diagnosis->inventory.gpus[place->gpu].is_silent ||
        inventory_offers(&diagnosis->inventory, place->gpu) ||
        inventory_lacks_types(&diagnosis->inventory, place->gpu))
        return false;
    diagnosis_add(diagnosis,
                  "the GPU %s has no GPU instances: a boot removes them, and so does enabling its "
                  "virtual functions; it is to have %s (%s)",
                  address, place->former->instance, place->former->says_instance);
    diagnosis_command(diagnosis, "nvidia-smi mig -i %s -cgi PROFILE -C", address);
    diagnosis_advise(diagnosis, "the profiles that there are:");
    diagnosis_command(diagnosis, "nvidia-smi mig -i %s -lgip", address);
    diagnosis_advise(diagnosis, "if there are instances:");
    diagnosis_command(diagnosis, "systemctl status nvidia-vgpud nvidia-vgpu-mgr");
    return true;
}

/* The loss shows only while the card has a vGPU. An empty card offers all sizes in either mode. */
static bool
check_sizes(struct diagnosis *diagnosis, const struct place *place)
{
    const struct inventory *inventory = &diagnosis->inventory;
    const char *address = place->card->address.text;
    const struct lease *const *sizes = place->former->sizes;
    bool is_used = ARRAY_HAS(inventory->vgpus, inventory->vgpu_count, vgpu,
                             inventory->parents[vgpu->parent].gpu == place->gpu);

    if (!sizes[1] || !is_used || !inventory->gpus[place->gpu].one_size)
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
check_card(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    static bool (*const steps[])(struct diagnosis * diagnosis, const struct place *place) = {
        check_mode, check_functions, check_instances, check_sizes};
    struct former_setup former;
    struct place place = {.card = card, .former = &former};

    former_setup_read(diagnosis, card, &former);
    if (!inventory_find_gpu(&diagnosis->inventory, &card->address, &place.gpu))
        place.gpu = SIZE_MAX;
    for (size_t i = 0; i < COUNT(steps) && !steps[i](diagnosis, &place); i++)
        ;
}

const struct diagnosis_check boot_checks[] = {
    {"boot-order", DIAGNOSIS_WARNING, .look_at_card = check_card, .cards = CARDS_OF_ALL},
    {0},
};
