/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-reset.h"
#include "actions/snapshot.h"
#include "base/text.h"

/* Names the cards that have vGPUs, for which a daemon has to run. */
static int
check_cards(const struct setup_card *card, const struct words *daemons, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take(&snapshot, card->host, &inventory_all_types, error);
    char line[512];
    struct text list = text_on(line, sizeof(line));

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < snapshot.inventory.gpu_count; i++) {
        const struct inventory_gpu *gpu = snapshot.inventory.gpus[i];

        if (gpu->vgpu_count && sriov_gpu_is_nvidias(card->host, &gpu->name))
            text_join(&list, ", ", "%s", gpu->name.text);
    }
    if (!*line)
        return 0;
    error_set(error, -EBUSY,
              "the MIG mode of %s comes with a reset, for which %s must stop, and there are vGPUs "
              "on %s",
              card->address, daemons->items[0], line);
    error_advise(error, "say 'vgpuctl setup %s' when there are none", card->address);
    return -EBUSY;
}

int
setup_reset(const struct setup_card *card, struct error *error)
{
    AUTO(nvidia_daemons_clear) struct nvidia_daemons daemons = {0};
    struct error failure;
    int started, rc;

    nvidia_daemons_read(card->host, &daemons);
    rc = daemons.running.count ? check_cards(card, &daemons.running, error) : 0;
    if (rc < 0)
        return rc;
    rc = nvidia_daemons_stop(card->host, &daemons.running, error);
    if (rc == 0)
        rc = nvidia_smi_reset(card->host, &card->said->address, error);
    started = nvidia_daemons_start(card->host, &daemons.running, &failure);
    if (rc == 0 && started < 0) {
        *error = failure;
        rc = started;
    }
    return rc;
}
