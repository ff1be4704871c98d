/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * xml-tree: edits an XML document in memory, so that it still looks as if written by hand.
 *
 * If the parent begins a line, a new element gets a line of its own, with two blanks more than the
 * parent. An element that is removed takes its line with it. libxml2 does the rest.
 */

#pragma once

#include "base/document.h"

#include <libxml/tree.h>

/* Reads a document, which the caller frees by xmlFreeDoc. Returns NULL if it is not well formed, or
 * not UTF-8. The parser uses no network, no entities of the document, and no document type. */
xmlDocPtr xml_tree_read(const struct document *document) CHECKED NONNULL;

/* Writes the whole tree, with <?xml ...?> in front if `declared`. The caller frees the text.
 * Returns NULL without memory. */
char *xml_tree_text(xmlDocPtr tree, bool declared) CHECKED NONNULL;

/* Writes one element, without any namespace. */
char *tree_text_bare(xmlNodePtr element) CHECKED NONNULL;

/* Returns the next child element after `after` (NULL: the first) with this name and this namespace
 * (NULL: with none). Returns NULL if there is none. */
xmlNodePtr xml_tree_next(xmlNodePtr parent, xmlNodePtr after, const char *name, const char *space)
    __attribute__((nonnull(1, 3))) CHECKED;

/* Read and set attributes without a namespace. xml_tree_set returns false without memory. */
bool tree_attribute_is(xmlNodePtr element, const char *name, const char *value) CHECKED NONNULL;
bool xml_tree_set(xmlNodePtr element, const char *name, const char *value) CHECKED NONNULL;

/* Add an element at the end of its parent, or after its sibling, in the namespace of its parent.
 * Return NULL without memory. */
xmlNodePtr xml_tree_add(xmlNodePtr parent, const char *name) CHECKED NONNULL;
xmlNodePtr tree_add_after(xmlNodePtr sibling, const char *name) CHECKED NONNULL;

void xml_tree_remove(xmlNodePtr element) NONNULL;

/* Whether an element has nothing but white space. */
bool tree_is_bare(xmlNodePtr element) CHECKED NONNULL;
