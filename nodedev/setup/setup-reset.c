/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-reset.h"
#include "actions/snapshot.h"
#include "base/memory.h"
#include "prove/workbench.h"

#include <stdlib.h>

/* The other cards of NVIDIA's, which this process has for itself: no guest gets a vGPU there while
 * the daemons are away. */
struct others {
    struct workbench *items; /* of fixed size: a workbench must not be moved */
    size_t count;
};

static void
others_close(struct others *others)
{
    for (size_t i = 0; i < others->count; i++)
        workbench_close(&others->items[i]);
    free(others->items);
}

static int
take_card(const struct setup_card *card, const struct inventory *inventory,
          const struct inventory_gpu *gpu, struct others *others, struct error *error)
{
    if (name_equal(&gpu->name, &card->said->address) ||
        !card_vendor_has_card(card->vendor, card->host, &gpu->name))
        return 0;
    if (gpu->vgpu_count) {
        error_set(error, -EBUSY, "%s has a vGPU", gpu->name.text);
        error_advise_command(error, "when it has none, say", "vgpuctl setup %s", card->address);
        return -EBUSY;
    }
    return workbench_take(card->host, &gpu->name, inventory, &others->items[others->count++],
                          error);
}

static int
take_others(const struct setup_card *card, const char *daemon, struct others *ret,
            struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    const struct inventory *inventory = &snapshot.inventory;
    int rc = snapshot_take(&snapshot, card->host, &inventory_all_types, error);

    if (rc < 0)
        return rc;
    ret->items = memory_zeroed(inventory->gpu_count, sizeof(*ret->items));
    for (size_t i = 0; i < inventory->gpu_count && rc == 0; i++)
        rc = take_card(card, inventory, inventory->gpus[i], ret, error);
    if (rc < 0)
        error_wrap(error, "the MIG mode of %s comes with a reset, for which %s must stop",
                   card->address, daemon);
    return rc;
}

/* The daemons are started again in every case. */
static int
reset_without(const struct setup_card *card, const struct words *daemons, struct error *error)
{
    struct error failure;
    int started, rc = nvidia_daemons_set(card->host, daemons, false, error);

    if (rc == 0)
        rc = nvidia_smi_reset(card->host, &card->said->address, error);
    started = nvidia_daemons_set(card->host, daemons, true, &failure);
    if (rc == 0 && started < 0) {
        *error = failure;
        rc = started;
    }
    return rc;
}

int
setup_reset(const struct setup_card *card, struct error *error)
{
    AUTO(nvidia_daemons_clear) struct nvidia_daemons daemons = {0};
    AUTO(others_close) struct others others = {0};
    int rc = 0;

    nvidia_daemons_read(card->host, &daemons);
    if (daemons.running.count)
        rc = take_others(card, daemons.running.items[0], &others, error);
    return rc < 0 ? rc : reset_without(card, &daemons.running, error);
}
