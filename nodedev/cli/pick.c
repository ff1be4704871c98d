/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/pick.h"

#include <stdio.h>
#include <string.h>

/* A whole name, in any spelling. */
static bool
parse_whole(struct name *ret, const char *word)
{
    return name_parse_uuid(ret, word) == 0 || name_parse_pci(ret, word) == 0 ||
           name_parse(ret, word) == 0;
}

/* Reads an address without its domain, as one of domain 0. */
static bool
parse_short(struct name *ret, const char *word)
{
    char text[sizeof(ret->text)];

    return snprintf(text, sizeof(text), "0000:%s", word) < (int)sizeof(text) &&
           name_parse_pci(ret, text) == 0;
}

/* Whether both are PCI addresses that differ in nothing but their domains. */
static bool
has_same_rest(const struct name *device, const struct name *address)
{
    struct name parsed;

    return name_parse_pci(&parsed, device->text) == 0 &&
           !strcmp(strchr(parsed.text, ':'), strchr(address->text, ':'));
}

/* Finds the devices that may have this address, each once. */
static void
find_all(const struct names *from, const struct name *address, struct names *ret)
{
    for (size_t i = 0; i < from->count; i++) {
        if (has_same_rest(&from->items[i], address))
            names_append_new(ret, &from->items[i]);
    }
}

int
pick_name(const struct names *from, const char *word, struct name *ret, struct error *error)
{
    AUTO(names_clear) struct names found = {0};
    struct name address;

    if (parse_whole(ret, word) && names_has(from, ret))
        return 0;
    if (!parse_short(&address, word))
        return -ENOENT;
    find_all(from, &address, &found);
    if (found.count == 0)
        return -ENOENT;
    *ret = found.items[0];
    if (found.count == 1)
        return 0;
    error_set(error, -ENOTUNIQ, "type all of the address, as \"%s\" may be any of: %s", word,
              ret->text);
    for (size_t i = 1; i < found.count; i++)
        error_add(error, "%s", found.items[i].text);
    return -ENOTUNIQ;
}
