/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a card of NVIDIA's without GPU instances takes vGPUs of mixed sizes (NVIDIA vGPU user
 * guide). */

#include "setup/setup-part.h"

static bool
sizes_are_said(const struct policy_setup *said)
{
    return said->sizes.count > 0 && said->instances.count == 0;
}

static bool
sizes_are_mixed(const struct policy_setup *said)
{
    return setting_each_of(&said->sizes, 0) == POLICY_SIZES_MIXED;
}

static bool
sizes_are_there(const struct setup_card *card)
{
    return card->nvidia.sizes == POLICY_SIZES_MIXED;
}

/* Without functions and in MIG mode there are no mixed sizes. A tool that is not installed has not
 * mixed them either. */
static bool
sizes_may_be_there(const struct setup_card *card)
{
    return card->nvidia_rc < 0 && card->nvidia_rc != -ENOENT && card->sriov.enabled > 0 &&
           !card->nvidia.is_mig && card->nvidia.sizes == POLICY_SIZES_UNSAID;
}

/* In MIG mode the card has no such mode, and says "N/A". */
static bool
sizes_are_as_said(const struct setup_card *card)
{
    return sizes_are_there(card) == sizes_are_mixed(&card->said->setup);
}

static int
sizes_check(const struct setup_card *card, struct error *error)
{
    int rc = setup_card_check_nvidias(card, "sizes", error);

    if (rc < 0 || !sizes_are_mixed(&card->said->setup))
        return rc;
    if (card->nvidia.is_mig && !card->said->setup.has_instances)
        return error_set(error, -EPERM,
                         "%s is in MIG mode, in which only GPU instances have sizes: say instances "
                         "as well in %s; with instances = [ ] that mode ends",
                         card->address, card->said->origin);
    if (card->nvidia.sizes || card->nvidia.is_mig)
        return 0;
    return error_set(error, -EOPNOTSUPP,
                     "%s or its driver cannot have vGPUs of mixed sizes: take sizes out of %s",
                     card->address, card->said->origin);
}

static int
sizes_set(struct setup_card *card, bool on, struct error *error)
{
    return nvidia_smi_set_mixed(card->host, &card->said->address, on, error);
}

static void
sizes_tell_said(const struct setup_card *card, struct text *text)
{
    text_add(text, sizes_are_mixed(&card->said->setup) ? "mixed" : "equal");
}

static void
sizes_tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, sizes_are_there(card) ? "mixed" : "equal");
}

const struct setup_part_row setup_sizes = {
    .name = "sizes",
    .make_word = "mix",
    .remove_word = "equalize",
    .is_said = sizes_are_said,
    .is_wanted = sizes_are_mixed,
    .is_there = sizes_are_there,
    .is_as_said = sizes_are_as_said,
    .may_be_there = sizes_may_be_there,
    .check = sizes_check,
    .set = sizes_set,
    .tell_said = sizes_tell_said,
    .tell_now = sizes_tell_now,
    .advice = SETUP_SEE_JOURNAL,
};
