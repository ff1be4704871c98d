/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-part.h"
#include "base/array.h"
#include "policy/setting.h"
#include "sriov/sriov.h"

#include <inttypes.h>
#include <string.h>

#define BIT(part) (1u << (part))

static void
tell_words(const struct words *words, struct text *text)
{
    for (size_t i = 0; i < words->count; i++)
        text_join(text, ", ", "%s", words->items[i]);
    if (words->count == 0)
        text_add(text, "none");
}

/* For the parts that only NVIDIA's tool tells. */
static int
check_nvidias(const struct setup_card *card, const char *part, struct error *error)
{
    if (!card->is_nvidias)
        return error_set(error, -EOPNOTSUPP,
                         "only cards of NVIDIA's have %s, and %s is none: take it out of %s", part,
                         card->address, card->said->origin);
    if (card->nvidia_rc < 0)
        *error = card->nvidia_unknown;
    return card->nvidia_rc;
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
    int rc = check_nvidias(card, "instances", error);

    if (rc < 0 || card->nvidia.has_mig || !mig_is_wanted(&card->said->setup))
        return rc;
    return error_set(error, -EOPNOTSUPP,
                     "%s cannot have GPU instances (MIG): take instances out of %s", card->address,
                     card->said->origin);
}

static int
mig_make(struct setup_card *card, struct error *error)
{
    return nvidia_smi_set_mig(card->host, &card->said->address, true, error);
}

static int
mig_remove(struct setup_card *card, struct error *error)
{
    return nvidia_smi_set_mig(card->host, &card->said->address, false, error);
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
    if (card->is_nvidias && wanted != card->sriov.total)
        return error_set(error, -EINVAL,
                         "NVIDIA's tool enables all functions of %s: write functions = \"all\" in "
                         "%s",
                         card->address, card->said->origin);
    if (card->is_amds && !functions_are_as_said(card))
        return error_set(error, -EOPNOTSUPP,
                         "%s has %" PRIu64 " virtual functions, and not the %" PRIu64 " of %s; "
                         "AMD's driver makes them when it is loaded, by a parameter of its module",
                         card->address, card->sriov.enabled, wanted, card->said->origin);
    return 0;
}

static int
functions_make(struct setup_card *card, struct error *error)
{
    unsigned wanted = card->said->setup.functions;
    int rc = sriov_enable(card->host, &card->sriov,
                          wanted == SETTING_ALL || card->is_nvidias ? 0 : wanted, error);

    return rc < 0 ? rc : 0;
}

static int
functions_remove(struct setup_card *card, struct error *error)
{
    int rc = sriov_disable(card->host, &card->sriov, error);

    return rc < 0 ? rc : 0;
}

static void
functions_tell_said(const struct setup_card *card, struct text *text)
{
    text_add(text, "%" PRIu64, sriov_gpu_wanted(&card->said->setup, &card->sriov));
}

static void
functions_tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, "%" PRIu64, card->sriov.enabled);
}

/* --- GPU instances ---------------------------------------------------------------------------- */

static bool
instances_are_there(const struct setup_card *card)
{
    return card->nvidia.instances.count > 0;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The driver chooses where the instances are on the card, so their order says nothing. */
static bool
instances_are_as_said(const struct setup_card *card)
{
    const struct words *now = &card->nvidia.instances, *said = &card->said->setup.instances;
    AUTO_FREE char **sorted = memory_zeroed(said->count + 1, sizeof(*sorted));
    bool same = now->count == said->count;

    for (size_t i = 0; i < said->count; i++)
        sorted[i] = said->items[i];
    qsort(sorted, said->count, sizeof(*sorted), compare);
    for (size_t i = 0; same && i < now->count; i++)
        same = !strcmp(now->items[i], sorted[i]);
    return same;
}

static int
instances_make(struct setup_card *card, struct error *error)
{
    return nvidia_smi_make_instances(card->host, &card->said->address, &card->said->setup.instances,
                                     error);
}

static int
instances_remove(struct setup_card *card, struct error *error)
{
    return nvidia_smi_remove_instances(card->host, &card->said->address, error);
}

static void
instances_tell_said(const struct setup_card *card, struct text *text)
{
    tell_words(&card->said->setup.instances, text);
}

static void
instances_tell_now(const struct setup_card *card, struct text *text)
{
    tell_words(&card->nvidia.instances, text);
}

/* --- sizes ------------------------------------------------------------------------------------ */

static bool
sizes_are_said(const struct policy_setup *said)
{
    return said->sizes != POLICY_SIZES_UNSAID;
}

static bool
sizes_are_mixed(const struct policy_setup *said)
{
    return said->sizes == POLICY_SIZES_MIXED;
}

static bool
sizes_are_there(const struct setup_card *card)
{
    return card->nvidia.sizes == POLICY_SIZES_MIXED;
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
    int rc = check_nvidias(card, "sizes", error);

    if (rc < 0 || !sizes_are_mixed(&card->said->setup))
        return rc;
    if (card->nvidia.is_mig && !card->said->setup.has_instances)
        return error_set(
            error, -EPERM,
            "%s is in MIG mode, in which there are no mixed sizes: say instances = [ ] "
            "as well in %s, to end that mode",
            card->address, card->said->origin);
    if (card->nvidia.sizes || card->nvidia.is_mig)
        return 0;
    return error_set(error, -EOPNOTSUPP,
                     "%s or its driver cannot have vGPUs of mixed sizes: take sizes out of %s",
                     card->address, card->said->origin);
}

static int
sizes_make(struct setup_card *card, struct error *error)
{
    return nvidia_smi_set_mixed(card->host, &card->said->address, true, error);
}

static int
sizes_remove(struct setup_card *card, struct error *error)
{
    return nvidia_smi_set_mixed(card->host, &card->said->address, false, error);
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

/* --- the table -------------------------------------------------------------------------------- */

const struct setup_part_row setup_part_rows[SETUP_PARTS] = {
    [SETUP_MIG_MODE] = {"MIG mode", "enable", "disable", mig_is_said, mig_is_wanted, mig_is_there,
                        mig_is_as_said, mig_check, mig_make, mig_remove, mig_tell_said,
                        mig_tell_now,
                        .needs_off =
                            BIT(SETUP_FUNCTIONS) | BIT(SETUP_INSTANCES) | BIT(SETUP_SIZES)},
    [SETUP_FUNCTIONS] = {"functions", "enable", "disable", functions_are_said, functions_are_said,
                         functions_are_there, functions_are_as_said, functions_check,
                         functions_make, functions_remove, functions_tell_said, functions_tell_now,
                         .needs_off = BIT(SETUP_FUNCTIONS),
                         .loses = BIT(SETUP_INSTANCES) | BIT(SETUP_SIZES)},
    [SETUP_INSTANCES] = {"instances", "create", "remove", mig_is_said, mig_is_wanted,
                         instances_are_there, instances_are_as_said, mig_check, instances_make,
                         instances_remove, instances_tell_said, instances_tell_now,
                         .needs_off = BIT(SETUP_INSTANCES)},
    [SETUP_SIZES] = {"sizes", "mix", "equalize", sizes_are_said, sizes_are_mixed, sizes_are_there,
                     sizes_are_as_said, sizes_check, sizes_make, sizes_remove, sizes_tell_said,
                     sizes_tell_now, .needs_off = 0},
};
