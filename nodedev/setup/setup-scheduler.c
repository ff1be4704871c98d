/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The scheduler of NVIDIA's vGPUs, which is only compared. NVIDIA's driver is told when it is
 * loaded (vendor/nvidia-scheduler.h). */

#include "setup/setup-part.h"
#include "vendor/nvidia-scheduler.h"

static bool
is_said(const struct policy_setup *said)
{
    return said->scheduler != POLICY_SCHEDULER_UNSAID;
}

static bool
is_as_said(const struct setup_card *card)
{
    return card->scheduler == card->said->setup.scheduler;
}

static int
check(const struct setup_card *card, struct error *error)
{
    if (card->vendor->scheduler)
        return 0;
    return error_set(error, -EOPNOTSUPP,
                     "only cards of NVIDIA's have a scheduler, and %s is none: take it out of %s",
                     card->address, card->said->origin);
}

static void
tell_said(const struct setup_card *card, struct text *text)
{
    text_add(text, "%s", policy_scheduler_words[card->said->setup.scheduler]);
}

static void
tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, "%s", card->scheduler ? policy_scheduler_words[card->scheduler] : "not known");
}

/* No public page names a command of NVIDIA's that sets it for good, so it is not made. */
static int
refuse(const struct setup_card *card, struct error *error)
{
    char now[64];
    struct text text = text_on(now, sizeof(now));

    tell_now(card, &text);
    error_set(error, -EOPNOTSUPP,
              "%s: NVIDIA's driver is told its scheduler when it is loaded, and it is %s",
              card->address, now);
    error_advise(
        error,
        "write 'options nvidia NVreg_RegistryDwordsPerDevice=\"pci=%s;RmPVMRL=0x%02x\"' into a "
        "file of /etc/modprobe.d, and boot again",
        card->address, nvidia_scheduler_values[card->said->setup.scheduler]);
    return -EOPNOTSUPP;
}

const struct setup_part_row setup_scheduler = {
    .name = "scheduler",
    .is_said = is_said,
    .is_wanted = is_said,
    .is_as_said = is_as_said,
    .check = check,
    .refuse = refuse,
    .tell_said = tell_said,
    .tell_now = tell_now,
};
