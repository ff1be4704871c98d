/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NVIDIA's cards whose driver is loaded and offers nothing. */

#include "doctor/checks.h"

/* Whether the configuration leaves a card alone. */
static bool
is_left_alone(const struct diagnosis *diagnosis, const struct name *card)
{
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, card);

    return said && !said->enabled;
}

/* --- GPU instances without types --- */

/* After GPU instances were made again, the driver's list may stay empty until nvidia-vgpud, which
 * tells the driver its types, has run again. It runs once and ends, so no guest needs it. */
static void
check_instances(struct diagnosis *diagnosis, size_t gpu)
{
    const struct inventory_gpu *card = &diagnosis->inventory.gpus[gpu];
    bool one = card->instances == 1;

    if (!inventory_lacks_types(&diagnosis->inventory, gpu) || is_left_alone(diagnosis, &card->name))
        return;
    diagnosis_add(diagnosis,
                  "the GPU %s has %u GPU instance%s (MIG), and its driver offers no type for %s",
                  card->name.text, card->instances, one ? "" : "s", one ? "it" : "them");
    diagnosis_command(diagnosis, "systemctl restart nvidia-vgpud");
    diagnosis_advise(diagnosis, "if it offers none then:");
    diagnosis_command(diagnosis, "systemctl status nvidia-vgpud nvidia-vgpu-mgr");
}

const struct diagnosis_check nvidia_checks[] = {
    {"mig-types", DIAGNOSIS_WARNING, .look_at_gpu = check_instances},
    {0},
};
