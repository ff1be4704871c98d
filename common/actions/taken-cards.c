/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/taken-cards.h"
#include "base/array.h"
#include "device/occupant.h"
#include "device/pci.h"
#include "lease/statedir.h"
#include "placement/demand.h"
#include "policy/policy-load.h"

void
taken_cards_clear(struct taken_cards *cards)
{
    policy_clear(&cards->policy);
    ledger_clear(&cards->ledger);
}

bool
taken_cards_may_be(const struct request *request)
{
    return request->is_partial || request->others.count ||
           ARRAY_HAS(request->hostdevs, request->hostdev_count, hostdev,
                     hostdev->kind == REQUEST_PCI);
}

static void
read_once(struct taken_cards *cards)
{
    struct error ignored;

    if (cards->is_read)
        return;
    cards->is_read = true;
    if (statedir_peek(cards->host, &cards->ledger, &ignored) < 0)
        ledger_clear(&cards->ledger);
    if (policy_load(cards->host, &cards->policy, &ignored) < 0)
        policy_clear(&cards->policy);
}

/* Whether a lease or a pool names one of the functions of a device that is no GPU. */
static bool
has_our_function(struct taken_cards *cards, const struct name *device)
{
    AUTO(occupants_clear) struct occupants functions = {0};

    if (!host_exists(cards->host, PCI_DEVICES "/%s/virtfn0", device->text))
        return false;
    read_once(cards);
    occupants_list(cards->host, device, &functions);
    return ARRAY_HAS(cards->ledger.leases, cards->ledger.count, lease,
                     name_equal(&lease->gpu, device)) ||
           ARRAY_HAS(functions.items, functions.count, function,
                     policy_pool_of(&cards->policy, &function->device));
}

static bool
is_card(struct taken_cards *cards, const struct name *device)
{
    struct name card;

    /* The device may be a function of a card. */
    return pci_find_card(cards->host, device, &card) < 0 &&
           (pci_is_gpu(cards->host, device) || has_our_function(cards, device));
}

/* A card that the XML asks us for is a pool's own device, and gets a lease. */
static void
list_devices(const struct request *request, struct names *ret)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (hostdev->kind == REQUEST_PCI && *hostdev->source.text && !demand_is_explicit(hostdev))
            names_append(ret, &hostdev->source);
    }
    for (size_t i = 0; i < request->others.count; i++)
        names_append(ret, &request->others.items[i]);
    names_sort(ret);
}

/* The XML may name a device many thousand times. Each device is looked at once. */
void
taken_cards_list(struct taken_cards *cards, const struct request *request, struct names *ret)
{
    AUTO(names_clear) struct names devices = {0};

    list_devices(request, &devices);
    for (size_t i = 0; i < devices.count; i++) {
        const struct name *device = &devices.items[i];

        if ((i == 0 || !name_equal(device, device - 1)) && is_card(cards, device))
            names_append(ret, device);
    }
}
