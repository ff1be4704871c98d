/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * names: the identifiers that may stand in a path, parsed.
 *
 * Text from a domain, a configuration file or the ledger becomes one of these at the border or is
 * refused there. Nothing else is ever formatted into a path, so no path can lead where it should
 * not: a struct name is one directory name, never empty, ".", ".." or with a slash.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

/* What the kernel calls a thing in /sys: a parent ("0000:18:00.4", "mtty"), a type ("nvidia-222"),
 * a device (a UUID in lower case, as the kernel prints it with %pUl, or a PCI address). */
struct name {
    char text[64];
};

/* -EINVAL if it is no directory name of [A-Za-z0-9._:+@-], or longer than 63 bytes. */
int name_parse(struct name *ret, const char *text) CHECKED NONNULL;

/* A UUID in any form that libvirt accepts (any case, dashes and blanks between its bytes or none,
 * white space around it); ret has it as the kernel writes it. See libvirt's virUUIDParse. */
int name_parse_uuid(struct name *ret, const char *text) CHECKED NONNULL;

/* A fresh random UUID (version 4, RFC 9562): 0 or -errno. */
int name_new_uuid(struct name *ret) CHECKED NONNULL;

/* A full PCI address, "0000:18:00.0", any case; ret has it as the kernel writes it. */
int name_parse_pci(struct name *ret, const char *text) CHECKED NONNULL;

/* The parts of a PCI address, as the attributes of libvirt's <address> are called. */
#define NAME_PCI_PARTS 4
extern const char *const name_pci_parts[NAME_PCI_PARTS]; /* "domain", "bus", "slot", "function" */

/* An address from its parts; -EINVAL if one is too large. */
int name_join_pci(struct name *ret, const unsigned parts[NAME_PCI_PARTS]) CHECKED NONNULL;

/* The parts of an address; -EINVAL if the name is none. */
int name_split_pci(const struct name *name, unsigned parts[NAME_PCI_PARTS]) CHECKED NONNULL;

/* A PCI address, or the name of a parent that has none ("mtty"). */
int name_parse_address(struct name *ret, const char *text) CHECKED NONNULL;

bool name_equal(const struct name *a, const struct name *b) NONNULL;

/* Names in a growing array, in strcmp's order once sorted. Owner: whoever called names_clear last.
 */
struct names {
    struct name *items;
    size_t count;
};

/* Copies one more; -ENOMEM. */
int names_add(struct names *names, const char *text) CHECKED NONNULL;
void names_sort(struct names *names) NONNULL;
bool names_has(const struct names *names, const struct name *name) CHECKED NONNULL;
void names_clear(struct names *names) NONNULL;
