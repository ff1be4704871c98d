/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Whether cards are as vgpu.conf declares them (view/setup-view.h), and what sets them up at boot.
 * A boot, or a reload of the driver, takes most of a card's setup away.
 */

#include "base/array.h"
#include "doctor/diagnosis.h"
#include "sriov/sriov-gpu.h"
#include "vendor/vendor-tool.h"
#include "view/setup-view.h"

#define SETUP_UNIT  "libvirt-vgpu-setup.service"
#define MIG_MANAGER "nvidia-mig-manager.service"

static void
check_declared(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->policy.gpu_count; i++) {
        const struct policy_gpu *said = &diagnosis->policy.gpus[i];
        const struct setup_judgment judgment =
            setup_view_judge(diagnosis->host, said, &diagnosis->inventory);

        if (!said->enabled || judgment.view != SETUP_VIEW_DIFFERS)
            continue;
        diagnosis_add(diagnosis, "the GPU %s is not as %s declares it: it %s", said->address.text,
                      said->origin, judgment.why);
        diagnosis_command(diagnosis, "vgpuctl setup %s", said->address.text);
    }
}

/* A recording has no processes. */
static void
check_tool(struct diagnosis *diagnosis)
{
    struct lock_holder holder;

    if (!diagnosis->host->run || !vendor_tool_find(diagnosis->host, &holder) || !holder.is_left)
        return;
    diagnosis_add(diagnosis,
                  "process %s was left behind by a vgpuctl that has ended: while it runs, no other "
                  "tool of NVIDIA's runs, and no guest gets a vGPU on the GPU that it works on",
                  holder.name);
    diagnosis_advise(diagnosis, "let it end; if it never does:");
    diagnosis_command(diagnosis, "kill -KILL %d", holder.pid);
    diagnosis_advise(diagnosis, "then make the GPUs as they are declared:");
    diagnosis_command(diagnosis, "vgpuctl setup");
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
                      "the unit " SRIOV_GPU_UNIT
                      " enables the virtual functions of the GPU %s, which %s declares",
                      address, address, said->origin);
        diagnosis_command(diagnosis, "systemctl disable " SRIOV_GPU_UNIT, address);
    } else if (card->enabled == 0) {
        diagnosis_add(diagnosis,
                      "the GPU %s has no virtual functions, although " SRIOV_GPU_UNIT
                      " is to enable them at boot",
                      address, address);
        diagnosis_command(diagnosis, "systemctl restart " SRIOV_GPU_UNIT, address);
        diagnosis_advise(diagnosis, "if that fails, it says why:");
        diagnosis_command(diagnosis, "systemctl status " SRIOV_GPU_UNIT, address);
    }
}

static bool
runs_at_boot(const struct host *host, const char *unit)
{
    return host_exists(host, BOOT_UNITS "%s", unit);
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
    diagnosis_command(diagnosis, "vgpuctl setup --declare %s", card->address.text);
}

const struct diagnosis_check setup_checks[] = {
    {"setup", FINDING_WARNING, .look = check_declared},
    {"tool-left", FINDING_WARNING, .look = check_tool},
    {"setup-unit", FINDING_WARNING, .look = check_units},
    {"setup-old-unit", FINDING_WARNING, .look_at_card = check_old_unit},
    {"setup-undeclared", FINDING_NOTE, .look_at_card = check_undeclared},
    {0},
};
