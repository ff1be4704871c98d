/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Whether cards are as vgpu.conf declares them, as far as /sys and /proc tell. A boot, or a reload
 * of the driver, takes most of a card's setup away. Only the first part that is not as declared is
 * told, because the parts after it cannot be right.
 */

#include "base/array.h"
#include "doctor/checks.h"
#include "placement/gpu-room.h"
#include "view/sriov-gpu.h"

#include <string.h>

#define WANTS       "etc/systemd/system/multi-user.target.wants/"
#define SETUP_UNIT  "libvirt-vgpu-setup.service"
#define MIG_MANAGER "nvidia-mig-manager.service"
#define OLD_UNIT    "libvirt-vgpu-sriov@%s"

struct setup_facts {
    const struct sriov_gpu *card;
    const struct policy_gpu *said;
    const struct inventory_gpu *gpu; /* NULL: the card has no vGPUs and offers none */
};

static bool
differ(struct diagnosis *diagnosis, const struct setup_facts *facts, const char *what)
{
    const char *address = facts->card->address.text;

    diagnosis_add(diagnosis, "the GPU %s is not as %s declares it: it %s", address,
                  facts->said->origin, what);
    diagnosis_command(diagnosis, "vgpuctl setup %s", address);
    return true;
}

static bool
check_functions(struct diagnosis *diagnosis, const struct setup_facts *facts)
{
    const struct sriov_gpu *card = facts->card;
    uint64_t wanted = sriov_gpu_wanted(&facts->said->setup, card);
    char what[128];

    if (wanted == 0 || card->enabled == wanted)
        return false;
    snprintf(what, sizeof(what), "has %u virtual functions, and not %u", (unsigned)card->enabled,
             (unsigned)wanted);
    return differ(diagnosis, facts, what);
}

/* Whether the card would make a type now that shares it in time: such a card is not in MIG mode. */
static bool
shares_time(const struct inventory_gpu *gpu)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    bool found = false;

    if (!gpu)
        return false;
    gpu_load_init(&load, gpu, LOAD_NOW);
    for (size_t i = 0; i < gpu->type_count; i++)
        found |= gpu->types[i].slices == 0 && gpu_room_left(&load, &gpu->types[i], NULL).most > 0;
    return found;
}

static bool
check_mode(struct diagnosis *diagnosis, const struct setup_facts *facts)
{
    return facts->said->setup.instances.count && shares_time(facts->gpu) &&
           differ(diagnosis, facts, "is not in MIG mode");
}

/* A card that has a vGPU may have given all its instances away. "mig-types" tells of a card that
 * has some instances. */
static bool
check_instances(struct diagnosis *diagnosis, const struct setup_facts *facts)
{
    const struct inventory_gpu *gpu = facts->gpu;

    return facts->said->setup.instances.count && gpu && !gpu->is_silent && gpu->vgpu_count == 0 &&
           !inventory_offers(gpu) && !inventory_lacks_types(gpu) &&
           differ(diagnosis, facts, "has no GPU instances");
}

/* This shows only while the card has a vGPU. An empty card offers all sizes in either mode. */
static bool
check_sizes(struct diagnosis *diagnosis, const struct setup_facts *facts)
{
    return facts->said->setup.sizes == POLICY_SIZES_MIXED && facts->gpu && facts->gpu->vgpu_count &&
           facts->gpu->one_size && differ(diagnosis, facts, "takes vGPUs of one size only");
}

static void
check_declared(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    static bool (*const parts[])(struct diagnosis * diagnosis, const struct setup_facts *facts) = {
        check_functions, check_mode, check_instances, check_sizes};
    const struct setup_facts facts = {
        .card = card,
        .said = policy_find_gpu(&diagnosis->policy, &card->address),
        .gpu = inventory_find_gpu(&diagnosis->inventory, &card->address),
    };

    if (!facts.said)
        return;
    for (size_t i = 0; i < COUNT(parts) && !parts[i](diagnosis, &facts); i++)
        ;
}

/* --- the units -------------------------------------------------------------------------------- */

/* The unit of one GPU was to enable its functions. */
static void
check_old_unit(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, &card->address);
    const char *address = card->address.text;

    if (!sriov_gpu_is_for_boot(diagnosis->host, &card->address))
        return;
    if (said && said->setup.functions) {
        diagnosis_add(diagnosis,
                      "the unit " OLD_UNIT " enables the virtual functions of the GPU %s, which %s "
                      "declares",
                      address, address, said->origin);
        diagnosis_command(diagnosis, "systemctl disable " OLD_UNIT, address);
    } else if (card->enabled == 0) {
        diagnosis_add(diagnosis,
                      "the GPU %s has no virtual functions, although " OLD_UNIT " is to enable "
                      "them at boot",
                      address, address);
        diagnosis_command(diagnosis, "systemctl restart " OLD_UNIT, address);
        diagnosis_advise(diagnosis, "if that fails, it says why:");
        diagnosis_command(diagnosis, "systemctl status " OLD_UNIT, address);
    }
}

static bool
runs_at_boot(const struct host *host, const char *unit)
{
    return host_exists(host, WANTS "%s", unit);
}

static void
check_units(struct diagnosis *diagnosis)
{
    const struct policy *policy = &diagnosis->policy;
    const struct host *host = diagnosis->host;
    const struct policy_gpu *any =
        ARRAY_FIND(policy->gpus, policy->gpu_count, gpu, gpu->enabled && policy_has_setup(gpu));
    const struct policy_gpu *partitioned =
        ARRAY_FIND(policy->gpus, policy->gpu_count, gpu, gpu->enabled && gpu->setup.has_instances);

    if (!host_exists(host, "run/systemd/system"))
        return;
    if (any && !runs_at_boot(host, SETUP_UNIT)) {
        diagnosis_add(diagnosis,
                      "%s declares how the GPU %s is set up, and nothing does that at boot",
                      any->origin, any->address.text);
        diagnosis_command(diagnosis, "systemctl enable " SETUP_UNIT);
    }
    if (partitioned && runs_at_boot(host, MIG_MANAGER)) {
        diagnosis_add(diagnosis,
                      MIG_MANAGER " makes GPU instances at boot, and %s declares those of the GPU "
                                  "%s",
                      partitioned->origin, partitioned->address.text);
        diagnosis_command(diagnosis, "systemctl disable " MIG_MANAGER);
    }
}

/* --- nothing is declared ---------------------------------------------------------------------- */

static void
check_undeclared(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, &card->address);

    if (card->enabled == 0 || (said && policy_has_setup(said)) ||
        !host_exists(diagnosis->host, "run/systemd/system") ||
        sriov_gpu_is_for_boot(diagnosis->host, &card->address))
        return;
    diagnosis_add(diagnosis,
                  "the next boot takes the %u virtual functions of the GPU %s away, as nothing "
                  "declares them",
                  (unsigned)card->enabled, card->address.text);
    diagnosis_advise(diagnosis, "for vgpu.conf, this prints how the GPUs are now:");
    diagnosis_command(diagnosis, "vgpuctl setup --print");
}

const struct diagnosis_check setup_checks[] = {
    {"setup", DIAGNOSIS_WARNING, .look_at_card = check_declared, .cards = CARDS_OF_ALL},
    {"setup-unit", DIAGNOSIS_WARNING, .look = check_units},
    {"setup-old-unit", DIAGNOSIS_WARNING, .look_at_card = check_old_unit, .cards = CARDS_OF_ALL},
    {"setup-undeclared", DIAGNOSIS_NOTE, .look_at_card = check_undeclared, .cards = CARDS_OF_ALL},
    {0},
};
