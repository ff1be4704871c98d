/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/former-setup.h"
#include "device/vendor.h"

#include <stdio.h>
#include <string.h>

/* Whether a word names a type of GPU instances. If the card lists no such type, the form of the
 * name decides. */
static bool
is_of_instances(const struct diagnosis *diagnosis, const struct sriov_gpu *card, const char *word)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(&diagnosis->inventory, &card->address);
    struct inventory_type type = {.id = {"nvidia-1"}};

    for (size_t i = 0; gpu && i < gpu->type_count; i++) {
        if (inventory_type_is(&gpu->types[i], word))
            return gpu->types[i].slices > 0;
    }
    snprintf(type.name, sizeof(type.name), "%s", word);
    vendor_describe(&type);
    return type.slices > 0;
}

/* If the card may also have types without instances, it may rightly have them now. */
static void
read_policy(const struct diagnosis *diagnosis, const struct sriov_gpu *card,
            struct former_setup *ret)
{
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, &card->address);

    for (size_t i = 0; said && i < said->types.count; i++) {
        if (!is_of_instances(diagnosis, card, said->types.items[i]))
            return;
    }
    if (!said || said->types.count == 0)
        return;
    snprintf(ret->instance, sizeof(ret->instance), "%s", said->types.items[0]);
    snprintf(ret->says_instance, sizeof(ret->says_instance), "%s", said->origin);
}

/* Whether a lease's vGPU is gone, and the guest's next start wants such a vGPU again. Two such
 * vGPUs existed at the same time, because a vGPU that is removed to make room leaves no such
 * lease. */
static bool
is_lost(const struct diagnosis *diagnosis, const struct lease *lease)
{
    return lease->state == LEASE_KEPT &&
           !inventory_find_vgpu(&diagnosis->inventory, &lease->vgpu.device);
}

static void
read_ledger(const struct diagnosis *diagnosis, const struct sriov_gpu *card,
            struct former_setup *ret)
{
    for (size_t i = 0; i < diagnosis->ledger.count; i++) {
        const struct lease *lease = &diagnosis->ledger.leases[i];

        if (!name_equal(&lease->gpu, &card->address) || !is_lost(diagnosis, lease))
            continue;
        if (is_of_instances(diagnosis, card, lease->vgpu.type.text)) {
            if (*ret->instance)
                continue;
            snprintf(ret->instance, sizeof(ret->instance), "%s", lease->vgpu.type.text);
            snprintf(ret->says_instance, sizeof(ret->says_instance), "the kept lease of %.128s",
                     lease->domain_name);
        } else if (lease->framebuffer && !ret->sizes[0]) {
            ret->sizes[0] = lease;
        } else if (lease->framebuffer && lease->framebuffer != ret->sizes[0]->framebuffer) {
            ret->sizes[1] = lease;
        }
    }
}

void
former_setup_read(const struct diagnosis *diagnosis, const struct sriov_gpu *card,
                  struct former_setup *ret)
{
    *ret = (struct former_setup){.is_for_boot =
                                     sriov_gpu_is_for_boot(diagnosis->host, &card->address)};
    if (!sriov_gpu_is_nvidias(diagnosis->host, &card->address))
        return;
    read_policy(diagnosis, card, ret);
    read_ledger(diagnosis, card, ret);
}

bool
former_setup_has_functions(const struct former_setup *setup)
{
    return setup->is_for_boot || *setup->instance || setup->sizes[1];
}
