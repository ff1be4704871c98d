/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * xml-tree: an XML document in memory, edited so that it still looks as if written by hand.
 *
 * A new element stands on a line of its own, two blanks further in than its parent, if the parent
 * stands on one. An element that is removed takes its line with it. libxml2 does the rest.
 */

#pragma once

#include "base/document.h"

#include <libxml/tree.h>

/* NULL if it is not well formed. No network, no entities of its own, no document type is looked at.
 */
xmlDocPtr xml_tree_read(const struct document *document) CHECKED NONNULL;
void xml_tree_free(xmlDocPtr tree);

/* The text of all of it, with an <?xml ...?> in front if so wanted. The caller frees it; NULL: no
 * memory. */
char *xml_tree_text(xmlDocPtr tree, bool declared) CHECKED NONNULL;

/* The text of one element, without any namespace. */
char *tree_text_bare(xmlNodePtr element) CHECKED NONNULL;

/* The next child element after `after` (NULL: the first) of this name, of a namespace (NULL: of
 * none); or NULL. */
xmlNodePtr xml_tree_next(xmlNodePtr parent, xmlNodePtr after, const char *name, const char *space)
    __attribute__((nonnull(1, 3))) CHECKED;

/* Attributes without a namespace. tree_set: false if there is no memory. */
bool tree_attribute_is(xmlNodePtr element, const char *name, const char *value) CHECKED NONNULL;
bool xml_tree_set(xmlNodePtr element, const char *name, const char *value) CHECKED NONNULL;

/* A new element at the end of its parent, or after its sibling, of its parent's namespace; NULL: no
 * memory. */
xmlNodePtr xml_tree_add(xmlNodePtr parent, const char *name) CHECKED NONNULL;
xmlNodePtr tree_add_after(xmlNodePtr sibling, const char *name) CHECKED NONNULL;

void xml_tree_remove(xmlNodePtr element) NONNULL;

/* Whether it holds nothing but white space. */
bool tree_is_bare(xmlNodePtr element) CHECKED NONNULL;
