/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Whether vGPUs share the GPU instances of a card in time. NVIDIA's driver calls that MIG time
 * slicing. Without it an instance takes one vGPU. The driver begins with it on each card that has
 * it (kernel_vgpu_mgr.c of NVIDIA's open kernel modules, 595).
 */

#include "setup/setup-part.h"

static const char *const words[] = {"not known", "off", "on"}; /* enum policy_slicing */

static bool
slicing_is_said(const struct policy_setup *said)
{
    return said->slicing != POLICY_SLICING_UNSAID;
}

/* What the driver does not begin with may be lost. */
static bool
slicing_is_there(const struct setup_card *card)
{
    return card->nvidia.has_slicing && card->nvidia.slicing == POLICY_SLICING_OFF;
}

/* An older driver, or another card, has it never. */
static unsigned
slicing_now(const struct setup_card *card)
{
    return card->nvidia.has_slicing ? card->nvidia.slicing : POLICY_SLICING_OFF;
}

static bool
slicing_is_as_said(const struct setup_card *card)
{
    return slicing_now(card) == card->said->setup.slicing;
}

static int
slicing_check(const struct setup_card *card, struct error *error)
{
    return setup_card_check_nvidias(card, "time_slicing", error);
}

static bool
slicing_can(const struct setup_card *card)
{
    return card->nvidia.has_slicing && card->nvidia.slicing != POLICY_SLICING_UNSAID;
}

static int
slicing_set(struct setup_card *card, bool on, struct error *error)
{
    (void)on;
    return nvidia_smi_set_slicing(card->host, &card->said->address,
                                  card->said->setup.slicing == POLICY_SLICING_ON, error);
}

static int
slicing_refuse(const struct setup_card *card, struct error *error)
{
    if (card->nvidia.has_slicing)
        error_set(
            error, -EOPNOTSUPP,
            "%s: nvidia-smi does not tell whether time slicing of its GPU instances is on, or "
            "does not change it",
            card->address);
    else
        error_set(error, -EOPNOTSUPP,
                  "%s: its driver has no time slicing of GPU instances, which drivers from 575 on "
                  "have for some cards",
                  card->address);
    return 0;
}

static void
slicing_tell_said(const struct setup_card *card, struct text *text)
{
    text_add(text, "%s", words[card->said->setup.slicing]);
}

static void
slicing_tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, "%s", words[slicing_now(card)]);
}

const struct setup_part_row setup_slicing = {
    .name = "time slicing",
    .make_word = "set",
    .is_said = slicing_is_said,
    .is_wanted = slicing_is_said,
    .is_there = slicing_is_there,
    .is_as_said = slicing_is_as_said,
    .check = slicing_check,
    .can = slicing_can,
    .set = slicing_set,
    .refuse = slicing_refuse,
    .tell_said = slicing_tell_said,
    .tell_now = slicing_tell_now,
    .advice = SETUP_SEE_JOURNAL,
    .needs_off = SETUP_BIT(SETUP_INSTANCES),
};
