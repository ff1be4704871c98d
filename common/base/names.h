/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * names: the identifiers that may stand in a path.
 *
 * Text from a domain, a configuration file or the ledger is parsed into a struct name where it
 * comes in, or refused there. Nothing else is ever formatted into a path of /sys or /proc. A struct
 * name is one directory name: it is never empty, "." or "..", and has no slash. So no path can
 * leave its directory.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

/* The kernel's name of something in /sys: a parent ("0000:18:00.4", "mtty"), a type ("nvidia-222")
 * or a vGPU (a UUID in lower case, or a PCI address). All bytes behind the text are 0. */
struct name {
    char text[64];
};

/* -EINVAL if it is no directory name of [A-Za-z0-9._:+@-], or longer than 63 bytes. */
int name_parse(struct name *ret, const char *text) CHECKED NONNULL;

/* Parses a UUID in any form that libvirt accepts: any case, with or without dashes and blanks
 * between its bytes, with white space around it. ret has it as the kernel writes it. -EINVAL. See
 * libvirt's virUUIDParse. */
int name_parse_uuid(struct name *ret, const char *text) CHECKED NONNULL;

/* A fresh random UUID (version 4, RFC 9562): 0 or -errno. */
int name_new_uuid(struct name *ret) CHECKED NONNULL;

/* Parses a full PCI address, "0000:18:00.0", of any case. ret has it as the kernel writes it.
 * -EINVAL. */
int name_parse_pci(struct name *ret, const char *text) CHECKED NONNULL;

/* The parts of a PCI address, called like the attributes of libvirt's <address>. */
#define NAME_PCI_PARTS 4
extern const char *const name_pci_parts[NAME_PCI_PARTS]; /* "domain", "bus", "slot", "function" */

/* An address from its parts; -EINVAL if one is too large. */
int name_join_pci(struct name *ret, const unsigned parts[NAME_PCI_PARTS]) CHECKED NONNULL;

/* The parts of an address; -EINVAL: the name is no address. */
int name_split_pci(const struct name *name, unsigned parts[NAME_PCI_PARTS]) CHECKED NONNULL;

/* Parses a PCI address, or the name of a parent that has none ("mtty"). -EINVAL. */
int name_parse_address(struct name *ret, const char *text) CHECKED NONNULL;

bool name_equal(const struct name *a, const struct name *b) NONNULL;

/* Names in a growing array. names_sort puts them into strcmp's order. */
struct names {
    struct name *items;
    size_t count;
};

/* Parses a name and adds it: -EINVAL as name_parse. */
int names_add(struct names *names, const char *text) CHECKED NONNULL;
/* Adds a parsed name. */
void names_append(struct names *names, const struct name *name) NONNULL;
/* Adds a parsed name unless it is there. Returns whether it was added. */
bool names_append_new(struct names *names, const struct name *name) NONNULL;
void names_copy(const struct names *from, struct names *to) NONNULL; /* appends all */
void names_sort(struct names *names) NONNULL;
bool names_has(const struct names *names, const struct name *name) CHECKED NONNULL;
bool names_overlap(const struct names *a, const struct names *b) CHECKED NONNULL;
bool
names_are_same(const struct names *a, const struct names *b) CHECKED NONNULL; /* in any order */
void names_clear(struct names *names) NONNULL;
