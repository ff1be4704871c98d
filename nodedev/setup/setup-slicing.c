/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Whether vGPUs share the GPU instances of a card in time. NVIDIA's driver calls that MIG time
 * slicing. Without it an instance takes one vGPU. The driver begins with it on each card that has
 * it (kernel_vgpu_mgr.c of NVIDIA's open kernel modules, 595).
 */

#include "setup/setup-part.h"

static const char *const words[] = {"not known", "off", "on"}; /* enum policy_slicing */

static bool
is_said(const struct policy_setup *said)
{
    return said->slicing != POLICY_SLICING_UNSAID;
}

/* What the driver does not begin with may be lost. */
static bool
is_there(const struct setup_card *card)
{
    return card->nvidia.has_slicing && card->nvidia.slicing == POLICY_SLICING_OFF;
}

/* An older driver, or another card, has it never. */
static unsigned
now(const struct setup_card *card)
{
    return card->nvidia.has_slicing ? card->nvidia.slicing : POLICY_SLICING_OFF;
}

static bool
is_as_said(const struct setup_card *card)
{
    return now(card) == card->said->setup.slicing;
}

static int
check(const struct setup_card *card, struct error *error)
{
    return setup_card_check_nvidias(card, "time_slicing", error);
}

static bool
can(const struct setup_card *card)
{
    return card->nvidia.has_slicing && card->nvidia.slicing != POLICY_SLICING_UNSAID;
}

static int
set(struct setup_card *card, bool on, struct error *error)
{
    (void)on;
    return nvidia_smi_set_slicing(card->host, &card->said->address,
                                  card->said->setup.slicing == POLICY_SLICING_ON, error);
}

static int
refuse(const struct setup_card *card, struct error *error)
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
tell_said(const struct setup_card *card, struct text *text)
{
    text_add(text, "%s", words[card->said->setup.slicing]);
}

static void
tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, "%s", words[now(card)]);
}

const struct setup_part_row setup_slicing = {
    .name = "time slicing",
    .make_word = "set",
    .is_said = is_said,
    .is_wanted = is_said,
    .is_there = is_there,
    .is_as_said = is_as_said,
    .check = check,
    .can = can,
    .set = set,
    .refuse = refuse,
    .tell_said = tell_said,
    .tell_now = tell_now,
    .advice = SETUP_SEE_JOURNAL,
    .needs_off = SETUP_BIT(SETUP_INSTANCES),
};
