/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "vendor/card-vendor.h"
#include "device/pci.h"

#include <string.h>

static const struct card_vendor other = {.id = "", .name = "another vendor"};

const struct card_vendor *const card_vendor_built_in[] = {&card_vendor_nvidia, &card_vendor_intel,
                                                          &card_vendor_amd, NULL};

const struct card_vendor *const *
card_vendor_rows(const struct host *host)
{
    return host->card_vendors ? host->card_vendors : card_vendor_built_in;
}

const struct card_vendor *
card_vendor_find(const struct card_vendor *const *rows, const char *id)
{
    while (*rows && strcmp((*rows)->id, id))
        rows++;
    return *rows ? *rows : &other;
}

const struct card_vendor *
card_vendor_of(const struct host *host, const struct name *card)
{
    char text[16];
    ssize_t length = host_read(host, text, sizeof(text), PCI_DEVICES "/%s/vendor", card->text);

    return card_vendor_find(card_vendor_rows(host), length > 2 ? text + strlen("0x") : "");
}

bool
card_vendor_has_card(const struct card_vendor *vendor, const struct host *host,
                     const struct name *card)
{
    return card_vendor_of(host, card) == vendor;
}

unsigned
card_vendor_scheduler(const struct host *host, const struct name *card)
{
    const struct card_vendor *vendor = card_vendor_of(host, card);

    return vendor->scheduler ? vendor->scheduler(host, card) : POLICY_SCHEDULER_UNSAID;
}

const char *
card_vendor_family(const struct inventory_gpu *gpu)
{
    const struct card_vendor *vendor = card_vendor_find(card_vendor_built_in, gpu->vendor);

    return vendor->family ? vendor->family(gpu->device) : NULL;
}

bool
card_vendor_parts(const struct inventory_gpu *from, const struct inventory_gpu *to)
{
    const char *left = card_vendor_family(from), *right = card_vendor_family(to);

    return left && right && !strcmp(from->vendor, to->vendor) && strcmp(left, right) != 0;
}

bool
card_vendor_has_type(const struct card_vendor *vendor, const struct inventory_type *type)
{
    return vendor->types && vendor->types->has(type);
}
