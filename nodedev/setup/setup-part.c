/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-part.h"
#include "setup/setup-scheduler.h"
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

/* --- the memory of virtual functions ---------------------------------------------------------- */

static bool
shares_are_as_said(const struct setup_card *card)
{
    return card->shares == 0;
}

static int
shares_make(struct setup_card *card, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take(&snapshot, card->host, &inventory_no_types, error);

    if (rc == 0)
        rc = sriov_settle(card->host, &snapshot, &card->sriov, error);
    return rc < 0 ? rc : 0;
}

static void
shares_tell_said(const struct setup_card *card, struct text *text)
{
    (void)card;
    text_add(text, "for profiles");
}

static void
shares_tell_now(const struct setup_card *card, struct text *text)
{
    if (card->shares)
        text_add(text, "with %u functions", card->shares);
    else
        text_add(text, "for profiles");
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

/* --- their types ------------------------------------------------------------------------------ */

static bool
types_are_as_said(const struct setup_card *card)
{
    return !card->lacks_types;
}

static int
types_make(struct setup_card *card, struct error *error)
{
    return nvidia_smi_restart_vgpud(card->host, error);
}

static void
types_tell_said(const struct setup_card *card, struct text *text)
{
    (void)card;
    text_add(text, "listed");
}

static void
types_tell_now(const struct setup_card *card, struct text *text)
{
    text_add(text, card->lacks_types ? "none" : "listed");
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

#define JOURNAL "see journalctl -k"

const struct setup_part_row setup_part_rows[SETUP_PARTS] = {
    [SETUP_MIG_MODE] =
        {
            .name = "MIG mode",
            .make_word = "enable",
            .remove_word = "disable",
            .is_said = mig_is_said,
            .is_wanted = mig_is_wanted,
            .is_there = mig_is_there,
            .is_as_said = mig_is_as_said,
            .check = mig_check,
            .make = mig_make,
            .remove = mig_remove,
            .tell_said = mig_tell_said,
            .tell_now = mig_tell_now,
            .advice = JOURNAL,
            .needs_off = BIT(SETUP_FUNCTIONS) | BIT(SETUP_INSTANCES) | BIT(SETUP_SIZES),
        },
    [SETUP_FUNCTIONS] =
        {
            .name = "functions",
            .make_word = "enable",
            .remove_word = "disable",
            .is_said = functions_are_said,
            .is_wanted = functions_are_said,
            .is_there = functions_are_there,
            .is_as_said = functions_are_as_said,
            .check = functions_check,
            .make = functions_make,
            .remove = functions_remove,
            .tell_said = functions_tell_said,
            .tell_now = functions_tell_now,
            .advice = JOURNAL,
            .needs_off = BIT(SETUP_FUNCTIONS),
            .loses = BIT(SETUP_INSTANCES) | BIT(SETUP_SIZES),
        },
    [SETUP_SHARES] =
        {
            .name = "memory",
            .make_word = "take back",
            .follows = true,
            .is_said = functions_are_said,
            .is_wanted = functions_are_said,
            .is_as_said = shares_are_as_said,
            .make = shares_make,
            .tell_said = shares_tell_said,
            .tell_now = shares_tell_now,
            .advice = JOURNAL,
        },
    [SETUP_INSTANCES] =
        {
            .name = "instances",
            .make_word = "create",
            .remove_word = "remove",
            .is_said = mig_is_said,
            .is_wanted = mig_is_wanted,
            .is_there = instances_are_there,
            .is_as_said = instances_are_as_said,
            .check = mig_check,
            .make = instances_make,
            .remove = instances_remove,
            .tell_said = instances_tell_said,
            .tell_now = instances_tell_now,
            .advice = JOURNAL,
            .needs_off = BIT(SETUP_INSTANCES),
        },
    [SETUP_TYPES] =
        {
            .name = "types",
            .make_word = "list",
            .follows = true,
            .is_said = mig_is_wanted,
            .is_wanted = mig_is_wanted,
            .is_as_said = types_are_as_said,
            .make = types_make,
            .tell_said = types_tell_said,
            .tell_now = types_tell_now,
            .advice = "see 'systemctl status nvidia-vgpud nvidia-vgpu-mgr'",
        },
    [SETUP_SIZES] =
        {
            .name = "sizes",
            .make_word = "mix",
            .remove_word = "equalize",
            .is_said = sizes_are_said,
            .is_wanted = sizes_are_mixed,
            .is_there = sizes_are_there,
            .is_as_said = sizes_are_as_said,
            .check = sizes_check,
            .make = sizes_make,
            .remove = sizes_remove,
            .tell_said = sizes_tell_said,
            .tell_now = sizes_tell_now,
            .advice = JOURNAL,
        },
    [SETUP_SCHEDULER] =
        {
            .name = "scheduler",
            .is_said = setup_scheduler_is_said,
            .is_wanted = setup_scheduler_is_said,
            .is_as_said = setup_scheduler_is_as_said,
            .check = setup_scheduler_check,
            .refuse = setup_scheduler_refuse,
            .tell_said = setup_scheduler_tell_said,
            .tell_now = setup_scheduler_tell_now,
        },
};
