/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What each GPU instance of NVIDIA's has for itself: whether it takes vGPUs of mixed sizes, and the
 * scheduler of their time. NVIDIA's tool sets both from driver 575 on, on instances that several
 * vGPUs share. Another instance takes one vGPU: its sizes are equal, and its scheduler is that of
 * the driver.
 */

#include "setup/setup-part.h"

struct mode {
    const char *const *words;
    const struct setting_each *(*said)(const struct policy_setup *setup);
    size_t of; /* where struct nvidia_smi_instance has it: an unsigned */
    unsigned (*unshared)(const struct setup_card *card); /* of an instance with one vGPU */
    int (*set)(const struct setup_card *card, unsigned instance, unsigned value,
               struct error *error);
};

static unsigned
value_of(const struct nvidia_smi_instance *instance, const struct mode *mode)
{
    return *(const unsigned *)((const char *)instance + mode->of);
}

/* One of the card's instances. 0: not known. */
static unsigned
now(const struct setup_card *card, const struct mode *mode, size_t instance)
{
    const struct nvidia_smi_instance *here = &card->nvidia.instances[instance];

    return here->is_shared ? value_of(here, mode) : mode->unshared(card);
}

static unsigned
said(const struct setup_card *card, const struct mode *mode, size_t declared)
{
    return setting_each_of(mode->said(&card->said->setup), declared);
}

/* Instances that are to be made begin as if they were not shared. */
static bool
is_as_made(const struct setup_card *card, const struct mode *mode)
{
    for (size_t i = 0; i < card->said->setup.instances.count; i++) {
        if (said(card, mode, i) != mode->unshared(card))
            return false;
    }
    return true;
}

static bool
differs(const struct setup_card *card, const struct mode *mode, const struct setup_pairing *pairing,
        size_t instance)
{
    return now(card, mode, instance) != said(card, mode, pairing->said[instance]);
}

static bool
is_as_said(const struct setup_card *card, const struct mode *mode)
{
    struct setup_pairing pairing;

    if (!setup_card_pair(card, &pairing))
        return is_as_made(card, mode);
    for (size_t i = 0; i < card->nvidia.instance_count; i++) {
        if (differs(card, mode, &pairing, i))
            return false;
    }
    return true;
}

/* Whether an instance has this, and in a form that is known. */
static bool
is_known(const struct nvidia_smi_instance *instance, const struct mode *mode)
{
    return instance->is_shared && value_of(instance, mode) > 0;
}

/* Whether an instance can become as declared. It is not known of instances that are to be made. */
static bool
can(const struct setup_card *card, const struct mode *mode)
{
    struct setup_pairing pairing;

    if (!setup_card_pair(card, &pairing))
        return card->nvidia.has_slicing;
    for (size_t i = 0; i < card->nvidia.instance_count; i++) {
        if (differs(card, mode, &pairing, i) && is_known(&card->nvidia.instances[i], mode))
            return true;
    }
    return is_as_said(card, mode);
}

static int
set(struct setup_card *card, const struct mode *mode, struct error *error)
{
    struct setup_pairing pairing;
    int rc = 0, lacks = 0;

    if (!setup_card_pair(card, &pairing))
        return error_set(error, -EIO, "%s has lost its GPU instances", card->address);
    for (size_t i = 0; i < card->nvidia.instance_count && rc == 0; i++) {
        const struct nvidia_smi_instance *here = &card->nvidia.instances[i];

        if (!differs(card, mode, &pairing, i))
            continue;
        rc = is_known(here, mode)
                 ? mode->set(card, here->id, said(card, mode, pairing.said[i]), error)
                 : -EOPNOTSUPP;
        if (rc == -EOPNOTSUPP) {
            lacks = rc;
            rc = 0;
        }
    }
    return rc < 0 ? rc : lacks;
}

/* Whether any instance has this, in a form that is not that of the driver's beginning. */
static bool
is_there(const struct setup_card *card, const struct mode *mode)
{
    for (size_t i = 0; i < card->nvidia.instance_count; i++) {
        if (is_known(&card->nvidia.instances[i], mode) &&
            now(card, mode, i) != mode->unshared(card))
            return true;
    }
    return false;
}

/* One word if all are alike. */
static void
tell(const struct mode *mode, const unsigned *values, size_t count, struct text *text)
{
    size_t alike = 0;

    while (alike < count && values[alike] == values[0])
        alike++;
    for (size_t i = 0; i < (alike == count && count ? 1 : count); i++)
        text_join(text, ", ", "%s", values[i] ? mode->words[values[i]] : "not known");
    if (count == 0)
        text_add(text, "no instances");
}

static void
tell_said(const struct setup_card *card, const struct mode *mode, struct text *text)
{
    const struct setting_each *each = mode->said(&card->said->setup);

    tell(mode, each->items, each->count, text);
}

/* In the order of the declared ones, if the card has these. */
static void
tell_now(const struct setup_card *card, const struct mode *mode, struct text *text)
{
    size_t count = card->nvidia.instance_count;
    unsigned values[POLICY_MOST_INSTANCES];
    struct setup_pairing pairing;
    bool is_paired = setup_card_pair(card, &pairing);

    for (size_t i = 0; i < count && i < POLICY_MOST_INSTANCES; i++)
        values[is_paired ? pairing.said[i] : i] = now(card, mode, i);
    tell(mode, values, count < POLICY_MOST_INSTANCES ? count : POLICY_MOST_INSTANCES, text);
}

/* Why an instance that differs stays as it is. */
static void
explain(const struct setup_card *card, const struct mode *mode, const char *what,
        struct error *error)
{
    const struct nvidia_smi_instance *here = NULL;
    struct setup_pairing pairing;
    bool is_paired = setup_card_pair(card, &pairing);

    for (size_t i = 0; is_paired && i < card->nvidia.instance_count && !here; i++) {
        if (differs(card, mode, &pairing, i))
            here = &card->nvidia.instances[i];
    }
    if (!card->nvidia.has_slicing)
        error_set(error, -EOPNOTSUPP,
                  "%s: its driver sets no %s of GPU instances, which drivers from 575 on do for "
                  "some cards",
                  card->address, what);
    else if (here && here->is_shared)
        error_set(error, -EOPNOTSUPP,
                  "%s: nvidia-smi does not know the %s of its GPU instance %u (%s), or does not "
                  "change them",
                  card->address, what, here->id, here->profile);
    else
        error_set(error, -EOPNOTSUPP,
                  "%s: its GPU instance %s takes one vGPU, so it has no %s: an instance is shared "
                  "in time if time_slicing is \"on\" and its profile has graphics (+gfx)",
                  card->address, here ? here->profile : "", what);
}

/* --- sizes ------------------------------------------------------------------------------------ */

static const struct setting_each *
said_sizes(const struct policy_setup *setup)
{
    return &setup->sizes;
}

static unsigned
unshared_sizes(const struct setup_card *card)
{
    (void)card;
    return POLICY_SIZES_EQUAL;
}

static int
set_one_sizes(const struct setup_card *card, unsigned instance, unsigned value, struct error *error)
{
    return nvidia_smi_set_instance_mixed(card->host, &card->said->address, instance,
                                         value == POLICY_SIZES_MIXED, error);
}

static const struct mode sizes = {policy_sizes_words, said_sizes,
                                  offsetof(struct nvidia_smi_instance, sizes), unshared_sizes,
                                  set_one_sizes};

static bool
instance_sizes_are_said(const struct policy_setup *setup)
{
    return setup->sizes.count > 0 && setup->instances.count > 0;
}

static bool
instance_sizes_are_there(const struct setup_card *card)
{
    return is_there(card, &sizes);
}

static bool
instance_sizes_are_as_said(const struct setup_card *card)
{
    return is_as_said(card, &sizes);
}

static int
instance_sizes_check(const struct setup_card *card, struct error *error)
{
    return setup_card_check_nvidias(card, "sizes", error);
}

static bool
instance_sizes_can(const struct setup_card *card)
{
    return can(card, &sizes);
}

static int
instance_sizes_set(struct setup_card *card, bool on, struct error *error)
{
    (void)on;
    return set(card, &sizes, error);
}

static int
instance_sizes_refuse(const struct setup_card *card, struct error *error)
{
    explain(card, &sizes, "sizes", error);
    return 0;
}

static void
instance_sizes_tell_said(const struct setup_card *card, struct text *text)
{
    tell_said(card, &sizes, text);
}

static void
instance_sizes_tell_now(const struct setup_card *card, struct text *text)
{
    tell_now(card, &sizes, text);
}

const struct setup_part_row setup_instance_sizes = {
    .name = "sizes",
    .make_word = "set",
    .is_said = instance_sizes_are_said,
    .is_wanted = instance_sizes_are_said,
    .is_there = instance_sizes_are_there,
    .is_as_said = instance_sizes_are_as_said,
    .check = instance_sizes_check,
    .can = instance_sizes_can,
    .set = instance_sizes_set,
    .refuse = instance_sizes_refuse,
    .tell_said = instance_sizes_tell_said,
    .tell_now = instance_sizes_tell_now,
    .advice = SETUP_SEE_JOURNAL,
};

/* --- schedulers ------------------------------------------------------------------------------- */

static const struct setting_each *
said_schedulers(const struct policy_setup *setup)
{
    return &setup->scheduler;
}

/* A driver that sets the schedulers of instances begins with best effort, unless it was told
 * another. */
static unsigned
loaded_scheduler(const struct setup_card *card)
{
    return card->loaded || !card->nvidia.has_slicing ? card->loaded : POLICY_SCHEDULER_BEST_EFFORT;
}

static int
set_one_scheduler(const struct setup_card *card, unsigned instance, unsigned value,
                  struct error *error)
{
    return nvidia_smi_set_scheduler(card->host, &card->said->address, instance, value, error);
}

static const struct mode schedulers = {policy_scheduler_words, said_schedulers,
                                       offsetof(struct nvidia_smi_instance, scheduler),
                                       loaded_scheduler, set_one_scheduler};

static bool
instance_schedulers_are_said(const struct policy_setup *setup)
{
    return setup->scheduler.count > 0 && setup->instances.count > 0;
}

static bool
instance_schedulers_are_there(const struct setup_card *card)
{
    return is_there(card, &schedulers);
}

static bool
instance_schedulers_are_as_said(const struct setup_card *card)
{
    return is_as_said(card, &schedulers);
}

static int
instance_schedulers_check(const struct setup_card *card, struct error *error)
{
    return setup_scheduler.check(card, error);
}

static bool
instance_schedulers_can(const struct setup_card *card)
{
    return can(card, &schedulers);
}

static int
instance_schedulers_set(struct setup_card *card, bool on, struct error *error)
{
    (void)on;
    return set(card, &schedulers, error);
}

/* A driver that sets none has the same one for all. */
static int
instance_schedulers_refuse(const struct setup_card *card, struct error *error)
{
    if (!card->nvidia.has_slicing && said_schedulers(&card->said->setup)->count == 1)
        return setup_scheduler.refuse(card, error);
    explain(card, &schedulers, "scheduler", error);
    return 0;
}

static void
instance_schedulers_tell_said(const struct setup_card *card, struct text *text)
{
    tell_said(card, &schedulers, text);
}

static void
instance_schedulers_tell_now(const struct setup_card *card, struct text *text)
{
    tell_now(card, &schedulers, text);
}

const struct setup_part_row setup_instance_schedulers = {
    .name = "scheduler",
    .make_word = "set",
    .is_said = instance_schedulers_are_said,
    .is_wanted = instance_schedulers_are_said,
    .is_there = instance_schedulers_are_there,
    .is_as_said = instance_schedulers_are_as_said,
    .check = instance_schedulers_check,
    .can = instance_schedulers_can,
    .set = instance_schedulers_set,
    .refuse = instance_schedulers_refuse,
    .tell_said = instance_schedulers_tell_said,
    .tell_now = instance_schedulers_tell_now,
    .advice = SETUP_SEE_JOURNAL,
};
