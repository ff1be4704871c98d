/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "xml/xml-tree.h"
#include "base/memory.h"
#include "domain/stream.h"

#include <libxml/parser.h>
#include <libxml/xmlsave.h>
#include <stdio.h>
#include <string.h>

#define STEP 2 /* blanks */

xmlDocPtr
xml_tree_read(const struct document *document)
{
    struct error ignored;
    size_t length;
    xmlDocPtr tree = NULL;

    stream_silence();
    if (document_check_encoding(document, &length, &ignored) == 0)
        tree = xmlReadMemory(document->text, (int)length, NULL, NULL,
                             STREAM_OPTIONS | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                 XML_PARSE_BIG_LINES);
    /* Without an encoding, libxml2 writes characters that are not ASCII as character references. */
    if (tree && !tree->encoding)
        tree->encoding = xmlStrdup(BAD_CAST "UTF-8");
    return tree;
}

static char *
take_text(xmlBufferPtr buffer)
{
    char *text = NULL;

    if (buffer && xmlBufferLength(buffer) > 0)
        text = memory_copy((const char *)xmlBufferContent(buffer));
    if (buffer)
        xmlBufferFree(buffer);
    return text;
}

char *
xml_tree_text(xmlDocPtr tree, bool declared)
{
    xmlBufferPtr buffer = xmlBufferCreate();
    xmlSaveCtxtPtr save = NULL;
    bool good = false;

    if (buffer)
        save = xmlSaveToBuffer(buffer, declared ? NULL : "UTF-8", declared ? 0 : XML_SAVE_NO_DECL);
    if (save) {
        good = xmlSaveDoc(save, tree) >= 0;
        good = xmlSaveClose(save) >= 0 && good;
    }
    if (buffer && !good)
        xmlBufferEmpty(buffer);
    return take_text(buffer);
}

static void
forget_namespaces(xmlNodePtr node)
{
    for (; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        forget_namespaces(node->children);
        node->ns = NULL;
        for (xmlAttrPtr attribute = node->properties; attribute; attribute = attribute->next)
            attribute->ns = NULL;
        xmlFreeNsList(node->nsDef);
        node->nsDef = NULL;
    }
}

char *
tree_text_bare(xmlNodePtr element)
{
    xmlNodePtr copy = xmlCopyNode(element, 1);
    xmlBufferPtr buffer = copy ? xmlBufferCreate() : NULL;

    if (copy) {
        forget_namespaces(copy);
        if (buffer && xmlNodeDump(buffer, element->doc, copy, 0, 0) < 0)
            xmlBufferEmpty(buffer);
        xmlFreeNode(copy);
    }
    return take_text(buffer);
}

static bool
is_element(const xmlNode *node, const char *name, const char *space)
{
    if (node->type != XML_ELEMENT_NODE || strcmp((const char *)node->name, name))
        return false;
    if (!space)
        return !node->ns;
    return node->ns && node->ns->href && !strcmp((const char *)node->ns->href, space);
}

xmlNodePtr
xml_tree_next(xmlNodePtr parent, xmlNodePtr after, const char *name, const char *space)
{
    xmlNodePtr node = after ? after->next : parent->children;

    while (node && !is_element(node, name, space))
        node = node->next;
    return node;
}

bool
tree_attribute_is(xmlNodePtr element, const char *name, const char *value)
{
    xmlChar *found = xmlGetNoNsProp(element, BAD_CAST name);
    bool same = found && !strcmp((const char *)found, value);

    xmlFree(found);
    return same;
}

bool
xml_tree_set(xmlNodePtr element, const char *name, const char *value)
{
    return xmlSetProp(element, BAD_CAST name, BAD_CAST value);
}

/* Returns the indentation behind the last line feed. Returns NULL if the node is no white space
 * that breaks a line. */
static const char *
indentation(const xmlNode *node)
{
    const char *feed;

    if (!node || node->type != XML_TEXT_NODE || !xmlIsBlankNode(node))
        return NULL;
    feed = strrchr((const char *)node->content, '\n');
    return feed ? feed + 1 : NULL;
}

/* Returns the indentation of an element; -1 if the element does not begin a line. */
static int
depth_of(const xmlNode *element)
{
    const char *before = indentation(element->prev);

    if (element->parent && element->parent->type == XML_DOCUMENT_NODE)
        return indentation(element->children) ? 0 : -1;
    return before ? (int)strlen(before) : -1;
}

static xmlNodePtr
new_line(const xmlNode *near, int depth)
{
    char text[128];

    snprintf(text, sizeof(text), "\n%*s", depth < 100 ? depth : 100, "");
    return xmlNewDocText(near->doc, BAD_CAST text);
}

xmlNodePtr
xml_tree_add(xmlNodePtr parent, const char *name)
{
    int depth = depth_of(parent);
    xmlNodePtr last = parent->last;
    xmlNodePtr element = xmlNewDocNode(parent->doc, parent->ns, BAD_CAST name, NULL);

    if (!element)
        return NULL;
    if (depth < 0)
        return xmlAddChild(parent, element);
    /* The white space before the parent's end tag belongs to the end tag. */
    if (indentation(last)) {
        xmlUnlinkNode(last);
        xmlFreeNode(last);
    }
    xmlAddChild(parent, new_line(parent, depth + STEP));
    xmlAddChild(parent, element);
    xmlAddChild(parent, new_line(parent, depth));
    return element;
}

xmlNodePtr
tree_add_after(xmlNodePtr sibling, const char *name)
{
    int depth = depth_of(sibling);
    xmlNodePtr element = xmlNewDocNode(sibling->doc, sibling->parent->ns, BAD_CAST name, NULL);

    if (!element)
        return NULL;
    xmlAddNextSibling(sibling, element);
    if (depth >= 0)
        xmlAddPrevSibling(element, new_line(sibling, depth));
    return element;
}

void
xml_tree_remove(xmlNodePtr element)
{
    xmlNodePtr before = element->prev;

    if (indentation(before) && element->next) {
        xmlUnlinkNode(before);
        xmlFreeNode(before);
    }
    xmlUnlinkNode(element);
    xmlFreeNode(element);
}

bool
tree_is_bare(xmlNodePtr element)
{
    for (const xmlNode *node = element->children; node; node = node->next) {
        if (!xmlIsBlankNode(node))
            return false;
    }
    return true;
}
