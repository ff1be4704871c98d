/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A card's virtual functions, and the memory that a driver gives them.
 *
 * Enabling the functions of a card of NVIDIA's removes GPU instances and mixed sizes (measured on
 * an RTX PRO 6000 with 580.105.06).
 */

#include "actions/snapshot.h"
#include "policy/setting.h"
#include "setup/setup-part.h"
#include "sriov/sriov.h"

#include <inttypes.h>

/* --- virtual functions ------------------------------------------------------------------------ */

static bool
functions_are_said(const struct policy_setup *said)
{
    return said->functions > 0;
}

static bool
functions_are_there(const struct setup_card *card)
{
    return card->sriov.enabled > 0;
}

static bool
functions_are_as_said(const struct setup_card *card)
{
    return card->sriov.enabled == sriov_gpu_wanted(&card->said->setup, &card->sriov);
}

static int
functions_check(const struct setup_card *card, struct error *error)
{
    const struct card_vendor *vendor = card->vendor;
    uint64_t wanted = sriov_gpu_wanted(&card->said->setup, &card->sriov);

    if (!card->has_functions)
        return error_set(
            error, -EOPNOTSUPP,
            "%s can have no virtual functions; is SR-IOV on in the firmware? Else take "
            "functions out of %s",
            card->address, card->said->origin);
    if (wanted > card->sriov.total)
        return error_set(error, -EINVAL,
                         "%s can have %" PRIu64 " virtual functions, and %s says %" PRIu64,
                         card->address, card->sriov.total, card->said->origin, wanted);
    if (vendor->set_functions && wanted != card->sriov.total)
        return error_set(error, -EINVAL,
                         "%s's tool enables all functions of %s: write functions = \"all\" in %s",
                         vendor->name, card->address, card->said->origin);
    if (vendor->functions_fixed && !functions_are_as_said(card))
        return error_set(error, -EOPNOTSUPP,
                         "%s has %" PRIu64 " virtual functions, and not the %" PRIu64 " of %s; %s",
                         card->address, card->sriov.enabled, wanted, card->said->origin,
                         vendor->functions_fixed);
    return 0;
}

static int
functions_set(struct setup_card *card, bool on, struct error *error)
{
    unsigned said = card->said->setup.functions;
    unsigned count = said == SETTING_ALL || card->vendor->set_functions ? 0 : said;
    int rc = on ? sriov_enable(card->host, &card->sriov, count, error)
                : sriov_disable(card->host, &card->sriov, error);

    return rc < 0 ? rc : 0;
}

/* A card that is gone has no number of functions. */
static void
functions_tell_said(const struct setup_card *card, struct text *text)
{
    if (card->said->setup.functions == SETTING_ALL && card->sriov.total == 0)
        text_add(text, "all");
    else
        text_add(text, "%" PRIu64, sriov_gpu_wanted(&card->said->setup, &card->sriov));
}

static void
functions_tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, "%" PRIu64, card->sriov.enabled);
}

const struct setup_part_row setup_functions = {
    .name = "functions",
    .make_word = "enable",
    .remove_word = "disable",
    .is_said = functions_are_said,
    .is_wanted = functions_are_said,
    .is_there = functions_are_there,
    .is_as_said = functions_are_as_said,
    .check = functions_check,
    .set = functions_set,
    .tell_said = functions_tell_said,
    .tell_now = functions_tell_now,
    .advice = SETUP_SEE_JOURNAL,
    .needs_off = SETUP_BIT(SETUP_FUNCTIONS),
    .loses = SETUP_BIT(SETUP_SLICING) | SETUP_BIT(SETUP_INSTANCES) | SETUP_BIT(SETUP_SIZES) |
             SETUP_BIT(SETUP_SCHEDULER),
};

/* --- the memory of virtual functions ---------------------------------------------------------- */

static bool
shares_are_as_said(const struct setup_card *card)
{
    return card->shares == 0;
}

static int
shares_set(struct setup_card *card, bool on, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take(&snapshot, card->host, &inventory_no_types, error);

    (void)on;
    if (rc == 0)
        rc = sriov_take_back_shares(card->host, &snapshot, &card->sriov, error);
    return rc < 0 ? rc : 0;
}

static void
shares_tell_now(const struct setup_card *card, struct text *text)
{
    if (card->shares)
        text_add(text, "with %u functions", card->shares);
    else
        text_add(text, "for profiles");
}

const struct setup_part_row setup_shares = {
    .name = "memory",
    .make_word = "take back",
    .follows = true,
    .is_said = functions_are_said,
    .is_wanted = functions_are_said,
    .is_as_said = shares_are_as_said,
    .set = shares_set,
    .said_word = "for profiles",
    .tell_now = shares_tell_now,
    .advice = SETUP_SEE_JOURNAL,
};
