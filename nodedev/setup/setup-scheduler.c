/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The scheduler of NVIDIA's vGPUs on a card without GPU instances. Where NVIDIA's tool sets it
 * (driver 535 and later), it is made. Elsewhere it is compared with what the driver was told when
 * it was loaded (vendor/nvidia-scheduler.h).
 */

#include "setup/setup-part.h"
#include "vendor/nvidia-scheduler.h"

static bool
scheduler_is_said(const struct policy_setup *said)
{
    return said->scheduler.count > 0 && said->instances.count == 0;
}

static unsigned
scheduler_now(const struct setup_card *card)
{
    return card->nvidia.scheduler ? card->nvidia.scheduler : card->loaded;
}

/* The driver begins with the scheduler that it was told, so only another one can be lost. */
static bool
scheduler_is_there(const struct setup_card *card)
{
    return card->nvidia.scheduler && card->loaded && card->nvidia.scheduler != card->loaded;
}

static bool
scheduler_is_as_said(const struct setup_card *card)
{
    return scheduler_now(card) == setting_each_of(&card->said->setup.scheduler, 0);
}

static int
scheduler_check(const struct setup_card *card, struct error *error)
{
    if (card->vendor->scheduler)
        return 0;
    return error_set(error, -EOPNOTSUPP,
                     "only cards of NVIDIA's have a scheduler, and %s is none: take it out of %s",
                     card->address, card->said->origin);
}

static bool
scheduler_can(const struct setup_card *card)
{
    return card->nvidia.scheduler != POLICY_SCHEDULER_UNSAID;
}

static int
scheduler_set(struct setup_card *card, bool on, struct error *error)
{
    (void)on;
    return nvidia_smi_set_scheduler(card->host, &card->said->address, NVIDIA_SMI_NO_ID,
                                    setting_each_of(&card->said->setup.scheduler, 0), error);
}

static void
scheduler_tell_said(const struct setup_card *card, struct text *text)
{
    text_add(text, "%s", policy_scheduler_words[setting_each_of(&card->said->setup.scheduler, 0)]);
}

static void
scheduler_tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, "%s",
             scheduler_now(card) ? policy_scheduler_words[scheduler_now(card)] : "not known");
}

static int
scheduler_refuse(const struct setup_card *card, struct error *error)
{
    error_set(error, -EOPNOTSUPP,
              "%s: NVIDIA's driver is told its scheduler when it is loaded, and it is %s",
              card->address, card->loaded ? policy_scheduler_words[card->loaded] : "not known");
    error_advise(
        error,
        "write 'options nvidia NVreg_RegistryDwordsPerDevice=\"pci=%s;RmPVMRL=0x%02x\"' into a "
        "file of /etc/modprobe.d, and boot again",
        card->address, nvidia_scheduler_values[setting_each_of(&card->said->setup.scheduler, 0)]);
    return -EOPNOTSUPP;
}

const struct setup_part_row setup_scheduler = {
    .name = "scheduler",
    .make_word = "set",
    .is_said = scheduler_is_said,
    .is_wanted = scheduler_is_said,
    .is_there = scheduler_is_there,
    .is_as_said = scheduler_is_as_said,
    .check = scheduler_check,
    .can = scheduler_can,
    .set = scheduler_set,
    .refuse = scheduler_refuse,
    .tell_said = scheduler_tell_said,
    .tell_now = scheduler_tell_now,
    .advice = SETUP_SEE_JOURNAL,
};
