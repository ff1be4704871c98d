/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/span.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <string.h>

static const struct document_span unknown;

/* How many bytes of the document the parser has read; 0: not known. */
static size_t
find_end(const struct annotation_attributes *attributes)
{
    long end = xmlByteConsumed(attributes->xml);

    if (end < 0)
        return 0;
    return (size_t)end < attributes->document->length ? (size_t)end : 0;
}

/*
 * The value points into the parser's copy of the document. Its distance from the parser's position
 * is the same in the document. A value that the parser had to put together lies outside of the
 * copy.
 */
struct document_span
span_of_value(const struct annotation_attributes *attributes, const char *name)
{
    const struct document *document = attributes->document;
    const xmlParserInput *input = attributes->xml->input;
    struct document_span span = {0};
    const char *value = annotation_find_value(attributes, name, &span.length);
    size_t end = find_end(attributes), back;

    if (!value || value < (const char *)input->base || value >= (const char *)input->cur)
        return unknown;
    back = (size_t)((const char *)input->cur - value);
    if (back >= end)
        return unknown;
    span.offset = end - back;
    if (memcmp(document->text + span.offset, value, span.length) ||
        document->text[span.offset - 1] != document->text[span.offset + span.length] ||
        !strchr("'\"", document->text[span.offset - 1]))
        return unknown;
    return span;
}

/* The tag begins at the last "<" before its end, because a tag of well-formed XML has no other. */
struct document_span
span_of_attributes(const struct annotation_attributes *attributes, const char *element)
{
    const struct document *document = attributes->document;
    size_t end = find_end(attributes), start = end, length = strlen(element);

    if (end == 0 || !strchr("/>", document->text[end]))
        return unknown;
    while (start > 0 && document->text[start - 1] != '<')
        start--;
    if (start == 0 || end - start < length || memcmp(document->text + start, element, length))
        return unknown;
    start += length;
    while (end > start && strchr(" \t\r\n", document->text[end - 1]))
        end--;
    return (struct document_span){start, end - start};
}
