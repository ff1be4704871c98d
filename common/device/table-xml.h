/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * table-xml: the XML of a vendor's table, one element after the other.
 *
 * Whoever reads a table names the elements that mean something, as rows. Each row has a function
 * for the element's beginning, where attributes can be read, and one for its end. An element whose
 * text is a number needs no function, but a place for the number. Other elements are passed over,
 * with all below them, and so are other attributes. It is all the same whether an empty element is
 * written as <a/> or <a></a>.
 *
 *     enum { DOCUMENT, MENU, DISH };
 *     static const struct table_element elements[] = {
 *         {.parent = DOCUMENT, .part = MENU, .name = "menu"},
 *         {.parent = MENU, .part = DISH, .name = "dish", .open = open_dish, .close = close_dish},
 *         {.parent = DISH, .name = "price", .number = offsetof(struct menu, price)},
 *     };
 *
 * libxml2's reader does the work. It loads no other file, asks no network, and expands no entity: a
 * table may name a document type, but not declare anything. The time that it takes is at most so
 * much for each byte, because a text on which libxml2 would take longer is refused before.
 */

#pragma once

#include "base/document.h"

struct table_xml;

struct table_element {
    int parent; /* the part around it; 0: it is the root, of which there is one row */
    int part;   /* what it is for those inside of it; 0: they mean nothing */
    const char *name;
    void (*open)(struct table_xml *xml, void *data);
    void (*close)(struct table_xml *xml, void *data);
    size_t number; /* where in data its number goes, as uint64_t; 0: its text is no number */
};

/* These stand for a number that is not there, and for one that cannot be read. A number is decimal,
 * or begins with 0x. */
#define TABLE_XML_ABSENT UINT64_MAX
#define TABLE_XML_WRONG  (UINT64_MAX - 1)

/* 0, or -EINVAL: error says in which line the fault is. -ENOMEM. The text is followed by a NUL,
 * which does not count. `data` is for the rows. */
int table_xml_read(const struct document *document, const struct table_element *elements,
                   size_t count, void *data, struct error *error) CHECKED NONNULL;

/* For the rows: stops the reading. error gets the line of the first call. */
void table_xml_fail(struct table_xml *xml, const char *format, ...) FORMAT(2, 3) NONNULL;

/* For the function of a beginning: an attribute of the element, as a number, and as a text of
 * printable ASCII. The text is "" if it is not there, has other characters, or does not fit. */
uint64_t table_xml_number(const struct table_xml *xml, const char *name) CHECKED NONNULL;
void table_xml_text(const struct table_xml *xml, const char *name, char *ret, size_t size) NONNULL;
