/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Emulated cards (tests/cards). Nobody shall take one of them for hardware. */

#include "base/text.h"
#include "device/pci.h"
#include "doctor/diagnosis.h"

#define MODULE "vgpu_cards"

/* The module marks its cards, and their virtual functions, by this directory. */
static bool
is_emulated_card(const struct host *host, const struct name *device)
{
    struct name card;

    return host_exists(host, PCI_DEVICES "/%s/emulated", device->text) &&
           pci_find_card(host, device, &card) < 0;
}

static void
check_emulated(struct diagnosis *diagnosis)
{
    const struct host *host = diagnosis->host;
    AUTO(names_clear) struct names devices = {0};
    char cards[512];
    struct text list = text_on(cards, sizeof(cards));

    if (!host_exists(host, "sys/module/" MODULE) || host_list(host, &devices, PCI_DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++) {
        if (is_emulated_card(host, &devices.items[i]))
            text_join(&list, ", ", "%s", devices.items[i].text);
    }
    if (list.length == 0)
        return;
    diagnosis_add(diagnosis,
                  "emulated by the module " MODULE ", which is for tests: %s; no guest can draw or "
                  "compute there",
                  cards);
    diagnosis_advise(diagnosis, "unless this host is for tests, shut down the guests, then:");
    diagnosis_command(diagnosis, "modprobe -r " MODULE);
}

const struct diagnosis_check emulated_checks[] = {
    {"emulated", FINDING_NOTE, .look = check_emulated},
    {0},
};
