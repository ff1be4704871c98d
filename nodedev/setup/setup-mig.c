/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * GPU instances (MIG) of NVIDIA's cards: the mode, the instances, and what a change of either may
 * leave behind: daemons that a reset stopped, and instances without types.
 *
 * The mode does not change while there are functions (NVIDIA MIG user guide).
 */

#include "setup/setup-part.h"
#include "actions/snapshot.h"
#include "base/memory.h"
#include "prove/workbench.h"

#include <stdlib.h>

/* --- the reset of a card ---------------------------------------------------------------------- */

/*
 * On Ampere a change of MIG mode comes with a reset (NVIDIA MIG user guide, nvmlDeviceSetMigMode).
 * A card is not reset while NVIDIA's daemons have it open. They serve all cards of the host, so
 * they are stopped only if no card of NVIDIA's has a vGPU, and no guest gets one meanwhile. So this
 * process has the other cards for itself then.
 */
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
take_card(const struct setup_card *card, const struct snapshot *snapshot,
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
    return workbench_take(card->host, &gpu->name, snapshot, &others->items[others->count++], error);
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
        rc = take_card(card, &snapshot, inventory->gpus[i], ret, error);
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

static int
reset(const struct setup_card *card, struct error *error)
{
    AUTO(nvidia_daemons_clear) struct nvidia_daemons daemons = {0};
    AUTO(others_close) struct others others = {0};
    int rc = 0;

    nvidia_daemons_read(card->host, &daemons);
    if (daemons.running.count)
        rc = take_others(card, daemons.running.items[0], &others, error);
    return rc < 0 ? rc : reset_without(card, &daemons.running, error);
}

/* --- MIG mode --------------------------------------------------------------------------------- */

static bool
mig_is_said(const struct policy_setup *said)
{
    return said->has_instances;
}

static bool
mig_is_wanted(const struct policy_setup *said)
{
    return said->instances.count > 0;
}

static bool
mig_is_there(const struct setup_card *card)
{
    return card->nvidia.is_mig;
}

static bool
mig_is_as_said(const struct setup_card *card)
{
    return card->nvidia.is_mig == mig_is_wanted(&card->said->setup);
}

static int
mig_check(const struct setup_card *card, struct error *error)
{
    int rc = setup_card_check_nvidias(card, "instances", error);

    if (rc < 0 || card->nvidia.has_mig || !mig_is_wanted(&card->said->setup))
        return rc;
    return error_set(error, -EOPNOTSUPP,
                     "%s cannot have GPU instances (MIG): take instances out of %s", card->address,
                     card->said->origin);
}

/* On some cards the mode comes with a reset only. */
static int
mig_set(struct setup_card *card, bool on, struct error *error)
{
    AUTO(nvidia_smi_clear) struct nvidia_smi now = {0};
    int rc = nvidia_smi_set_mig(card->host, &card->said->address, on, error);

    if (rc == 0)
        rc = nvidia_smi_read(card->host, &card->said->address, &now, error);
    return rc == 0 && now.is_mig != on && now.is_mig_to_be == on ? reset(card, error) : rc;
}

static void
mig_tell_said(const struct setup_card *card, struct text *text)
{
    text_add(text, mig_is_wanted(&card->said->setup) ? "on" : "off");
}

static void
mig_tell_now(const struct setup_card *card, struct text *text)
{
    const struct nvidia_smi *nvidia = &card->nvidia;

    text_add(text, "%s%s", nvidia->is_mig ? "on" : "off",
             nvidia->is_mig == nvidia->is_mig_to_be || !nvidia->has_mig ? "" : " until a reset");
}

const struct setup_part_row setup_mig_mode = {
    .name = "MIG mode",
    .make_word = "enable",
    .remove_word = "disable",
    .is_said = mig_is_said,
    .is_wanted = mig_is_wanted,
    .is_there = mig_is_there,
    .is_as_said = mig_is_as_said,
    .check = mig_check,
    .set = mig_set,
    .tell_said = mig_tell_said,
    .tell_now = mig_tell_now,
    .advice = SETUP_SEE_JOURNAL,
    .needs_off = SETUP_BIT(SETUP_FUNCTIONS) | SETUP_BIT(SETUP_INSTANCES) | SETUP_BIT(SETUP_SIZES),
};

/* --- NVIDIA's daemons ------------------------------------------------------------------------- */

static bool
daemons_are_as_said(const struct setup_card *card)
{
    return card->daemons.stopped.count == 0;
}

static int
daemons_set(struct setup_card *card, bool on, struct error *error)
{
    return nvidia_daemons_set(card->host, &card->daemons.stopped, on, error);
}

static void
daemons_tell_now(const struct setup_card *card, struct text *text)
{
    if (card->daemons.stopped.count == 0)
        text_add(text, "running");
    for (size_t i = 0; i < card->daemons.stopped.count; i++)
        text_join(text, ", ", "%s stopped", card->daemons.stopped.items[i]);
}

const struct setup_part_row setup_daemons = {
    .name = "daemons",
    .make_word = "start",
    .follows = true,
    .is_said = mig_is_said,
    .is_wanted = mig_is_said,
    .is_as_said = daemons_are_as_said,
    .set = daemons_set,
    .said_word = "running",
    .tell_now = daemons_tell_now,
    .advice = "see 'systemctl status' of these units",
};

/* --- GPU instances ---------------------------------------------------------------------------- */

static bool
instances_are_there(const struct setup_card *card)
{
    return card->nvidia.instance_count > 0 || card->kernel_instances > 0;
}

static bool
instances_are_as_said(const struct setup_card *card)
{
    struct setup_pairing ignored;

    return setup_card_pair(card, &ignored);
}

static int
instances_set(struct setup_card *card, bool on, struct error *error)
{
    const struct name *address = &card->said->address;

    return on ? nvidia_smi_make_instances(card->host, address, &card->said->setup.instances, error)
              : nvidia_smi_remove_instances(card->host, address, error);
}

static void
instances_tell_said(const struct setup_card *card, struct text *text)
{
    const struct words *said = &card->said->setup.instances;

    for (size_t i = 0; i < said->count; i++)
        text_join(text, ", ", "%s", said->items[i]);
    if (said->count == 0)
        text_add(text, "none");
}

static void
instances_tell_now(const struct setup_card *card, struct text *text)
{
    const struct nvidia_smi *nvidia = &card->nvidia;

    for (size_t i = 0; i < nvidia->instance_count; i++)
        text_join(text, ", ", "%s", nvidia->instances[i].profile);
    if (nvidia->instance_count == 0 && card->kernel_instances)
        text_add(text, "%u, whose profiles %s does not tell", card->kernel_instances,
                 card->vendor->name);
    else if (nvidia->instance_count == 0)
        text_add(text, "none");
}

const struct setup_part_row setup_instances = {
    .name = "instances",
    .make_word = "create",
    .remove_word = "remove",
    .is_said = mig_is_said,
    .is_wanted = mig_is_wanted,
    .is_there = instances_are_there,
    .is_as_said = instances_are_as_said,
    .check = mig_check,
    .set = instances_set,
    .tell_said = instances_tell_said,
    .tell_now = instances_tell_now,
    .advice = SETUP_SEE_JOURNAL,
    .needs_off = SETUP_BIT(SETUP_INSTANCES),
    .loses = SETUP_BIT(SETUP_INSTANCE_SIZES) | SETUP_BIT(SETUP_INSTANCE_SCHEDULERS),
};

/* --- their types ------------------------------------------------------------------------------ */

static bool
types_are_as_said(const struct setup_card *card)
{
    return !card->lacks_types;
}

static int
types_set(struct setup_card *card, bool on, struct error *error)
{
    (void)on;
    return nvidia_daemons_restart_vgpud(card->host, error);
}

static void
types_tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, card->lacks_types ? "none" : "listed");
}

const struct setup_part_row setup_types = {
    .name = "types",
    .make_word = "list",
    .follows = true,
    .is_said = mig_is_wanted,
    .is_wanted = mig_is_wanted,
    .is_as_said = types_are_as_said,
    .set = types_set,
    .said_word = "listed",
    .tell_now = types_tell_now,
    .advice = "see 'systemctl status nvidia-vgpud nvidia-vgpu-mgr'",
};
