/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Emulated cards (tests/cards). Nobody shall take one of them for hardware. */

#include "base/memory.h"
#include "device/pci.h"
#include "doctor/checks.h"

#define MODULE "vgpu_cards"

/* The module marks its functions by this directory. Only virtual functions have a physical one. */
static bool
is_emulated_card(const struct host *host, const struct name *device)
{
    return host_exists(host, PCI_DEVICES "/%s/emulated", device->text) &&
           !host_exists(host, PCI_DEVICES "/%s/physfn", device->text);
}

static void
append(char **list, const char *word)
{
    AUTO_FREE char *before = *list;

    *list = before ? memory_format("%s, %s", before, word) : memory_copy(word);
}

static void
check_emulated(struct diagnosis *diagnosis)
{
    const struct host *host = diagnosis->host;
    AUTO(names_clear) struct names devices = {0};
    AUTO_FREE char *list = NULL;

    if (!host_exists(host, "sys/module/" MODULE) || host_list(host, &devices, PCI_DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++) {
        if (is_emulated_card(host, &devices.items[i]))
            append(&list, devices.items[i].text);
    }
    if (!list)
        return;
    diagnosis_add(diagnosis,
                  "emulated by the module " MODULE ", which is for tests: %s; no guest can draw or "
                  "compute there",
                  list);
    diagnosis_advise(diagnosis, "unless this host is for tests, shut down the guests, then:");
    diagnosis_command(diagnosis, "modprobe -r " MODULE);
}

const struct diagnosis_check emulated_checks[] = {
    {"emulated", DIAGNOSIS_NOTE, .look = check_emulated},
    {0},
};
