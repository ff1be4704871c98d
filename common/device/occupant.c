/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/occupant.h"
#include "base/array.h"
#include "device/pci.h"

#include <string.h>

#define PARENTS "sys/class/mdev_bus"

static void
add_mediated(const struct host *host, const struct name *parent, struct occupants *ret)
{
    AUTO(names_clear) struct names entries = {0};

    if (host_list(host, &entries, PARENTS "/%s", parent->text) < 0)
        return;
    for (size_t i = 0; i < entries.count; i++) {
        struct occupant occupant;

        if (name_parse_uuid(&occupant.device, entries.items[i].text) == 0 &&
            path_format(&occupant.directory, PARENTS "/%s/%s", parent->text,
                        entries.items[i].text) == 0)
            ARRAY_ADD(ret->items, ret->count, occupant);
    }
}

static void
add_function(const struct host *host, const struct name *card, const char *link,
             struct occupants *ret)
{
    struct occupant occupant;

    if (host_link(host, &occupant.device, PCI_DEVICES "/%s/%s", card->text, link) < 0 ||
        path_format(&occupant.directory, PCI_DEVICES "/%s", occupant.device.text) < 0)
        return;
    ARRAY_ADD(ret->items, ret->count, occupant);
    add_mediated(host, &occupant.device, ret);
}

void
occupants_list(const struct host *host, const struct name *card, struct occupants *ret)
{
    static const char function[] = "virtfn";
    AUTO(names_clear) struct names entries = {0};

    add_mediated(host, card, ret);
    if (host_list(host, &entries, PCI_DEVICES "/%s", card->text) < 0)
        return;
    for (size_t i = 0; i < entries.count; i++) {
        if (!strncmp(entries.items[i].text, function, strlen(function)))
            add_function(host, card, entries.items[i].text, ret);
    }
}

void
occupants_clear(struct occupants *occupants)
{
    free(occupants->items);
    *occupants = (struct occupants){0};
}
