/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-part.h"
#include "actions/snapshot.h"
#include "device/nvidia.h"
#include "device/pci.h"
#include "sriov/sriov.h"

#include <string.h>

/* --- the card --------------------------------------------------------------------------------- */

static int
read_functions(struct setup_card *card, struct error *error)
{
    struct name address = card->said->address;
    int rc = sriov_gpu_read(card->host, &address, &card->sriov);

    card->has_functions = rc == 0;
    return rc == 0 || rc == -ENOENT
               ? 0
               : error_set(error, rc, "/" PCI_DEVICES "/%s: %s", card->address, strerror(-rc));
}

/* A vendor's tool takes seconds. It is asked only if something said hangs on its answer. */
static bool
needs_answer(const struct setup_card *card)
{
    const struct policy_setup *said = &card->said->setup;

    return card->vendor->ask &&
           (said->has_instances || said->sizes.count || said->scheduler.count ||
            (card->has_functions && card->sriov.enabled != sriov_gpu_wanted(said, &card->sriov)));
}

static int
read_shares(struct setup_card *card, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take(&snapshot, card->host, &inventory_no_types, error);

    if (rc == 0)
        rc = sriov_count_shares(card->host, &snapshot, &card->sriov, error);
    if (rc > 0)
        card->shares = (unsigned)rc;
    return rc < 0 ? rc : 0;
}

/* A card that has a vGPU may have given all its instances away. */
static int
read_types(struct setup_card *card, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take(&snapshot, card->host, &inventory_all_types, error);
    const struct inventory_gpu *gpu =
        rc == 0 ? inventory_find_gpu(&snapshot.inventory, &card->said->address) : NULL;

    card->lacks_types = rc == 0 && (!gpu || (gpu->vgpu_count == 0 && !inventory_offers(gpu)));
    return rc;
}

/* Reads what follows from the functions and instances that are there. */
static int
read_effects(struct setup_card *card, struct error *error)
{
    const struct policy_setup *said = &card->said->setup;

    if (card->sriov.enabled == 0)
        return 0;
    if (card->nvidia.instance_count && said->instances.count)
        return read_types(card, error);
    return said->functions ? read_shares(card, error) : 0;
}

/* Asks the vendor's tool. If the tool does not answer, the driver tells whether there are
 * instances. */
static void
ask(struct setup_card *card)
{
    const struct name *address = &card->said->address;
    int count;

    card->nvidia_rc = card->vendor->ask(card->host, address, &card->nvidia, &card->nvidia_unknown);
    if (card->nvidia_rc == 0)
        return;
    count = nvidia_count_instances(card->host, address);
    card->kernel_instances = count > 0 ? (unsigned)count : 0;
}

/* Reads what the kernel tells. */
static int
look(struct setup_card *card, struct error *error)
{
    if (!host_exists(card->host, PCI_DEVICES "/%s", card->address))
        return error_set(error, -ENODEV, "there is no PCI device %s, which %s names", card->address,
                         card->said->origin);
    card->vendor = card_vendor_of(card->host, &card->said->address);
    card->loaded = card_vendor_scheduler(card->host, &card->said->address);
    return read_functions(card, error);
}

int
setup_card_read(const struct host *host, const struct policy_gpu *said, struct setup_card *ret,
                struct error *error)
{
    *ret = (struct setup_card){.host = host, .said = said, .address = said->address.text};
    return setup_card_renew(ret, error);
}

int
setup_card_look(const struct host *host, const struct policy_gpu *said, struct setup_card *ret,
                struct error *error)
{
    *ret = (struct setup_card){.host = host, .said = said, .address = said->address.text};
    return look(ret, error);
}

int
setup_card_renew(struct setup_card *card, struct error *error)
{
    const struct setup_card bare = {
        .host = card->host, .said = card->said, .address = card->address, .lacks = card->lacks};
    int rc;

    setup_card_clear(card);
    *card = bare;
    rc = look(card, error);
    if (rc < 0)
        return rc;
    if (needs_answer(card))
        ask(card);
    if (card->vendor->ask && card->said->setup.has_instances)
        nvidia_daemons_read(card->host, &card->daemons);
    return read_effects(card, error);
}

/* Finds the first declared instance of a profile that has none of the card's; -1: there is none. */
static int
find_free(const struct words *said, const char *profile, const bool *taken)
{
    for (size_t i = 0; i < said->count; i++) {
        if (!taken[i] && !strcmp(said->items[i], profile))
            return (int)i;
    }
    return -1;
}

bool
setup_card_pair(const struct setup_card *card, struct setup_pairing *ret)
{
    const struct words *said = &card->said->setup.instances;
    const struct nvidia_smi *now = &card->nvidia;
    bool taken[POLICY_MOST_INSTANCES] = {false};

    *ret = (struct setup_pairing){0};
    if (now->instance_count != said->count || said->count > POLICY_MOST_INSTANCES)
        return false;
    for (size_t i = 0; i < now->instance_count; i++) {
        int found = find_free(said, now->instances[i].profile, taken);

        if (found < 0)
            return false;
        taken[found] = true;
        ret->said[i] = (size_t)found;
    }
    return true;
}

int
setup_card_check_nvidias(const struct setup_card *card, const char *part, struct error *error)
{
    if (!card->vendor->ask)
        return error_set(error, -EOPNOTSUPP,
                         "only cards of NVIDIA's have %s, and %s is none: take it out of %s", part,
                         card->address, card->said->origin);
    if (card->nvidia_rc < 0)
        *error = card->nvidia_unknown;
    return card->nvidia_rc;
}

void
setup_card_clear(struct setup_card *card)
{
    sriov_gpu_clear(&card->sriov);
    nvidia_smi_clear(&card->nvidia);
    nvidia_daemons_clear(&card->daemons);
}

/* --- its parts -------------------------------------------------------------------------------- */

const struct setup_part_row *const setup_parts[SETUP_PARTS] = {
    [SETUP_MIG_MODE] = &setup_mig_mode,
    [SETUP_DAEMONS] = &setup_daemons,
    [SETUP_FUNCTIONS] = &setup_functions,
    [SETUP_SHARES] = &setup_shares,
    [SETUP_SLICING] = &setup_slicing,
    [SETUP_INSTANCES] = &setup_instances,
    [SETUP_TYPES] = &setup_types,
    [SETUP_SIZES] = &setup_sizes,
    [SETUP_INSTANCE_SIZES] = &setup_instance_sizes,
    [SETUP_SCHEDULER] = &setup_scheduler,
    [SETUP_INSTANCE_SCHEDULERS] = &setup_instance_schedulers,
};

bool
setup_part_can(const struct setup_card *card, enum setup_part part)
{
    const struct setup_part_row *row = setup_parts[part];

    return !(card->lacks & SETUP_BIT(part)) && (!row->can || row->can(card));
}

/* --- the plan --------------------------------------------------------------------------------- */

struct marks {
    bool changes[SETUP_PARTS]; /* the part is to be made, or to be taken away for good */
    bool goes[SETUP_PARTS];    /* what is there of it must be away first */
};

static bool
is_said(const struct setup_card *card, enum setup_part part)
{
    return setup_parts[part]->is_said(&card->said->setup);
}

static bool
is_wanted(const struct setup_card *card, enum setup_part part)
{
    return is_said(card, part) && setup_parts[part]->is_wanted(&card->said->setup);
}

static int
refuse_loss(const struct setup_card *card, enum setup_part cause, enum setup_part lost,
            struct error *error)
{
    const struct setup_part_row *row = setup_parts[lost];
    char now[256];
    struct text text = text_on(now, sizeof(now));

    row->tell_now(card, &text);
    return error_set(error, -EPERM,
                     "a change of the %s of %s would take its %s (%s) away, of which %s says "
                     "nothing: say them as well",
                     setup_parts[cause]->name, card->address, row->name, now, card->said->origin);
}

/* What could not be read is not absent. */
static int
refuse_unread(const struct setup_card *card, enum setup_part cause, enum setup_part lost,
              struct error *error)
{
    return error_set(error, -EAGAIN,
                     "a change of the %s of %s may take its %s away, which cannot be read: %s; say "
                     "them as well in %s, or mend the tool",
                     setup_parts[cause]->name, card->address, setup_parts[lost]->name,
                     card->nvidia_unknown.text, card->said->origin);
}

/* Marks what goes when a part changes. All of that stands after the part in the table, or is the
 * part itself. */
static int
mark_losses(const struct setup_card *card, enum setup_part part, struct marks *marks,
            struct error *error)
{
    const struct setup_part_row *row = setup_parts[part];
    unsigned lost = row->needs_off | (is_wanted(card, part) ? row->loses : 0);

    for (unsigned other = part; other < SETUP_PARTS; other++) {
        if (!(lost & 1u << other))
            continue;
        if (!is_said(card, other) && setup_parts[other]->may_be_there &&
            setup_parts[other]->may_be_there(card))
            return refuse_unread(card, part, other, error);
        if (!setup_parts[other]->is_there(card))
            continue;
        if (!is_said(card, other))
            return refuse_loss(card, part, other, error);
        marks->goes[other] |= (row->needs_off & 1u << other) != 0;
        marks->changes[other] |= is_wanted(card, other) && setup_part_can(card, other);
    }
    return 0;
}

static int
mark_part(const struct setup_card *card, enum setup_part part, struct marks *marks,
          struct error *error)
{
    const struct setup_part_row *row = setup_parts[part];
    int rc = is_said(card, part) && row->check ? row->check(card, error) : 0;

    if (rc < 0)
        return rc;
    if (is_said(card, part) && !setup_part_can(card, part))
        return 0;
    marks->changes[part] |= is_said(card, part) && !row->is_as_said(card);
    marks->goes[part] |= marks->changes[part] && !is_wanted(card, part);
    return marks->changes[part] ? mark_losses(card, part, marks, error) : 0;
}

/* Marks the parts that stand in vgpu.conf, or those that follow from them. */
static int
mark(const struct setup_card *card, bool follows, struct marks *marks, struct error *error)
{
    int rc = 0;

    for (unsigned part = 0; part < SETUP_PARTS && rc == 0; part++) {
        if (setup_parts[part]->follows == follows)
            rc = mark_part(card, part, marks, error);
    }
    return rc;
}

static void
add_steps(const struct setup_card *card, const struct marks *marks, struct setup_plan *ret)
{
    for (unsigned part = SETUP_PARTS; part-- > 0;) {
        if (marks->goes[part])
            ret->steps[ret->count++] = (struct setup_step){part, true};
    }
    for (unsigned part = 0; part < SETUP_PARTS; part++) {
        if (marks->changes[part] && is_wanted(card, part))
            ret->steps[ret->count++] = (struct setup_step){part, false};
    }
}

int
setup_parts_plan(const struct setup_card *card, struct setup_plan *ret, struct error *error)
{
    struct marks marks = {0};
    int rc = mark(card, false, &marks, error);

    *ret = (struct setup_plan){.count = 0};
    if (rc == 0)
        add_steps(card, &marks, ret);
    if (rc < 0 || ret->count)
        return rc;
    rc = mark(card, true, &marks, error);
    if (rc == 0)
        add_steps(card, &marks, ret);
    return rc;
}
