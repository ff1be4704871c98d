/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * table-xml: the XML of a vendor's table, as a tree of libxml2.
 *
 * An element or attribute with the prefix of a namespace is another one than that without. libxml2
 * loads no other file, asks no network, and expands no entity: a table may name a document type,
 * but not declare anything. A table has at most 524288 tags and attributes. So the tree of a table
 * takes at most some 100 MB besides its texts.
 */

#pragma once

#include "base/document.h"

#include <libxml/tree.h>

/* These stand for a number that is not there, and for one that cannot be read. A number is decimal,
 * or begins with 0x, and its text has at most 31 bytes. */
#define TABLE_XML_ABSENT UINT64_MAX
#define TABLE_XML_WRONG  (UINT64_MAX - 1)

/* 0, or -EINVAL: error says what is wrong, and in which line. -ENOMEM. The caller frees the tree in
 * every case. */
int table_xml_read(const struct document *document, const char *root, xmlDoc **ret,
                   struct error *error) CHECKED NONNULL;
void table_xml_free(xmlDoc **tree) NONNULL;

/* The next element of this name directly inside of another. after: NULL for the first. NULL: there
 * are no more. */
const xmlNode *table_xml_next(const xmlNode *parent, const xmlNode *after, const char *name) CHECKED
    __attribute__((nonnull(1, 3)));

/* An attribute as a number, and as a text of printable ASCII. The text is "" if it is not there,
 * has other characters, or does not fit. */
uint64_t table_xml_number(const xmlNode *element, const char *name) CHECKED NONNULL;
void table_xml_text(const xmlNode *element, const char *name, char *ret, size_t size) NONNULL;

/* The number that an element of this name directly inside of another has as its text. The last such
 * element counts. */
uint64_t table_xml_number_inside(const xmlNode *parent, const char *name) CHECKED NONNULL;
