/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-card.h"
#include "actions/snapshot.h"
#include "device/nvidia.h"
#include "device/pci.h"
#include "sriov/sriov.h"

#include <string.h>

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
