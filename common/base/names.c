/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/names.h"
#include "base/array.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int
name_parse(struct name *ret, const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length >= sizeof(ret->text) || !strcmp(text, ".") || !strcmp(text, ".."))
        return -EINVAL;
    for (const char *c = text; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("._:+@-", *c))
            return -EINVAL;
    }
    /* Clear all bytes: names are copied whole, to another process too. */
    *ret = (struct name){0};
    memcpy(ret->text, text, length);
    return 0;
}

int
name_parse_uuid(struct name *ret, const char *text)
{
    static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", white[] = " \t\n\v\f\r";
    struct name uuid = {0};
    unsigned digits = 0;

    text += strspn(text, white);
    for (size_t i = 0; shape[i]; i++) {
        if (shape[i] == '-') {
            uuid.text[i] = '-';
            continue;
        }
        /* Dashes and blanks may stand between two bytes, but not between the digits of one. */
        if (digits++ % 2 == 0)
            text += strspn(text, "- ");
        if (!isxdigit((unsigned char)*text))
            return -EINVAL;
        uuid.text[i] = (char)tolower((unsigned char)*text++);
    }
    if (text[strspn(text, white)])
        return -EINVAL;
    *ret = uuid;
    return 0;
}

int
name_new_uuid(struct name *ret)
{
    unsigned char b[16];

    if (getrandom(b, sizeof(b), 0) != sizeof(b))
        return -EIO;
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    *ret = (struct name){0};
    snprintf(ret->text, sizeof(ret->text),
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
    return 0;
}

const char *const name_pci_parts[NAME_PCI_PARTS] = {"domain", "bus", "slot", "function"};

int
name_join_pci(struct name *ret, const unsigned parts[NAME_PCI_PARTS])
{
    if (parts[1] > 0xff || parts[2] > 0x1f || parts[3] > 7)
        return -EINVAL;
    *ret = (struct name){0};
    snprintf(ret->text, sizeof(ret->text), "%04x:%02x:%02x.%x", parts[0], parts[1], parts[2],
             parts[3]);
    return 0;
}

int
name_split_pci(const struct name *name, unsigned parts[NAME_PCI_PARTS])
{
    return sscanf(name->text, "%8x:%2x:%2x.%1x", &parts[0], &parts[1], &parts[2], &parts[3]) ==
                   NAME_PCI_PARTS
               ? 0
               : -EINVAL;
}

int
name_parse_pci(struct name *ret, const char *text)
{
    static const char hex[] = "0123456789abcdefABCDEF:.";
    size_t digits = strcspn(text, ":");
    unsigned parts[NAME_PCI_PARTS];
    struct name name;

    /* Exactly 4 to 8 digits for the domain, and then ":bb:ss.f". */
    if (digits < 4 || digits > 8 || strlen(text + digits) != strlen(":bb:ss.f") ||
        text[strspn(text, hex)] || text[digits + 3] != ':' || text[digits + 6] != '.')
        return -EINVAL;
    if (name_parse(&name, text) < 0 || name_split_pci(&name, parts) < 0)
        return -EINVAL;
    return name_join_pci(ret, parts);
}

int
name_parse_address(struct name *ret, const char *text)
{
    return strchr(text, ':') ? name_parse_pci(ret, text) : name_parse(ret, text);
}

bool
name_equal(const struct name *a, const struct name *b)
{
    return strcmp(a->text, b->text) == 0;
}

bool
names_has(const struct names *names, const struct name *name)
{
    return ARRAY_HAS(names->items, names->count, each, name_equal(each, name));
}

int
names_add(struct names *names, const char *text)
{
    struct name name;
    int rc = name_parse(&name, text);

    if (rc == 0)
        names_append(names, &name);
    return rc;
}

void
names_append(struct names *names, const struct name *name)
{
    ARRAY_ADD(names->items, names->count, *name);
}

bool
names_append_new(struct names *names, const struct name *name)
{
    if (names_has(names, name))
        return false;
    names_append(names, name);
    return true;
}

static int
names_compare(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

void
names_copy(const struct names *from, struct names *to)
{
    for (size_t i = 0; i < from->count; i++)
        names_append(to, &from->items[i]);
}

void
names_sort(struct names *names)
{
    if (names->count > 1)
        qsort(names->items, names->count, sizeof(*names->items), names_compare);
}

bool
names_overlap(const struct names *a, const struct names *b)
{
    for (size_t i = 0; i < a->count; i++) {
        if (names_has(b, &a->items[i]))
            return true;
    }
    return false;
}

bool
names_are_same(const struct names *a, const struct names *b)
{
    for (size_t i = 0; i < a->count; i++) {
        if (!names_has(b, &a->items[i]))
            return false;
    }
    return a->count == b->count;
}

void
names_clear(struct names *names)
{
    free(names->items);
    *names = (struct names){0};
}
