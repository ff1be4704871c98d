/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/table-xml.h"
#include "base/array.h"
#include "domain/stream.h"

#include <libxml/xmlreader.h>
#include <stdio.h>
#include <string.h>

#define LONGEST         (64 << 10) /* bytes without a '<', or without a '>' */
#define MOST_LEVELS     32         /* elements in each other */
#define MOST_ATTRIBUTES 64         /* of an element */
#define MOST_WORDS      16384      /* different names and short texts */

struct table_xml {
    xmlTextReaderPtr reader;
    const struct table_element *elements;
    size_t count;
    void *data;
    struct error *error;
    bool failed; /* error says why */

    /* The elements around the present one, by level: [0] is a row for the document, whose part is
     * 0, and [1] is the root. NULL: the element means nothing. */
    const struct table_element *around[MOST_LEVELS + 1];
    char text[32];    /* of an element whose text is a number */
    bool is_too_long; /* that text */
};

static void FORMAT(3, 0) fail(struct table_xml *xml, int line, const char *format, va_list args)
{
    if (xml->failed)
        return;
    error_vset(xml->error, -EINVAL, format, args);
    error_wrap(xml->error, "line %d", line);
    xml->failed = true;
}

void
table_xml_fail(struct table_xml *xml, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail(xml, xmlTextReaderGetParserLineNumber(xml->reader), format, args);
    va_end(args);
}

static void FORMAT(3, 4) fail_at(struct table_xml *xml, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail(xml, line, format, args);
    va_end(args);
}

/* White space may be around it. */
static uint64_t
parse_number(const char *text)
{
    static const char blanks[] = " \t\r\n";
    const char *digits = text + strspn(text, blanks), *end;
    bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    unsigned long long number;

    digits += is_hex ? 2 : 0;
    end = digits + strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789");
    if (end == digits || end[strspn(end, blanks)])
        return TABLE_XML_WRONG;
    number = strtoull(digits, NULL, is_hex ? 16 : 10);
    return number > TABLE_XML_WRONG ? TABLE_XML_WRONG : number;
}

/* Goes to an attribute. Its value is valid until leave_attribute; NULL: it is not there. */
static const char *
enter_attribute(const struct table_xml *xml, const char *name)
{
    const xmlChar *value;

    if (xmlTextReaderMoveToAttribute(xml->reader, (const xmlChar *)name) != 1)
        return NULL;
    value = xmlTextReaderConstValue(xml->reader);
    return value ? (const char *)value : "";
}

static void
leave_attribute(const struct table_xml *xml)
{
    xmlTextReaderMoveToElement(xml->reader);
}

uint64_t
table_xml_number(const struct table_xml *xml, const char *name)
{
    const char *value = enter_attribute(xml, name);
    uint64_t number = value ? parse_number(value) : TABLE_XML_ABSENT;

    leave_attribute(xml);
    return number;
}

void
table_xml_text(const struct table_xml *xml, const char *name, char *ret, size_t size)
{
    const char *value = enter_attribute(xml, name);
    bool is_sound = value && strlen(value) < size;

    for (const char *at = value; is_sound && *at; at++)
        is_sound = *at >= ' ' && *at <= '~';
    snprintf(ret, size, "%s", is_sound ? value : "");
    leave_attribute(xml);
}

static void
close_element(struct table_xml *xml, int depth)
{
    const struct table_element *element = xml->around[depth + 1];
    uint64_t number;

    if (element && element->number) {
        number = xml->is_too_long ? TABLE_XML_WRONG : parse_number(xml->text);
        memcpy((char *)xml->data + element->number, &number, sizeof(number));
    }
    if (element && element->close)
        element->close(xml, xml->data);
}

static const struct table_element *
find_element(const struct table_xml *xml, int depth, const char *name)
{
    const struct table_element *above = xml->around[depth];

    if (!above || (depth > 0 && above->part == 0))
        return NULL;
    return ARRAY_FIND(xml->elements, xml->count, each,
                      each->parent == above->part && !strcmp(each->name, name));
}

/* The parser compares a new name or a short text with many of those that it has met. */
static int
count_words(const struct table_xml *xml)
{
    const xmlNode *node = xmlTextReaderCurrentNode(xml->reader);

    return node && node->doc && node->doc->dict ? xmlDictSize(node->doc->dict) : 0;
}

static void
open_element(struct table_xml *xml, int depth)
{
    const char *name = (const char *)xmlTextReaderConstName(xml->reader);
    bool is_empty = xmlTextReaderIsEmptyElement(xml->reader) == 1;
    const struct table_element *element;

    if (depth >= MOST_LEVELS)
        return table_xml_fail(xml, "more than %d elements are in each other", MOST_LEVELS);
    if (xmlTextReaderAttributeCount(xml->reader) > MOST_ATTRIBUTES)
        return table_xml_fail(xml, "an element has more than %d attributes", MOST_ATTRIBUTES);
    if (count_words(xml) > MOST_WORDS)
        return table_xml_fail(xml, "there are more than %d different words", MOST_WORDS);
    element = find_element(xml, depth, name ? name : "");
    if (depth == 0 && !element)
        return table_xml_fail(xml, "the root is <%.64s>, and not <%s>", name ? name : "",
                              xml->elements[0].name);
    xml->around[depth + 1] = element;
    if (element && element->number) {
        xml->text[0] = '\0';
        xml->is_too_long = false;
    }
    if (element && element->open)
        element->open(xml, xml->data);
    if (is_empty)
        close_element(xml, depth);
}

/* A comment may have divided the text. */
static void
add_text(struct table_xml *xml, int depth)
{
    const struct table_element *element = xml->around[depth];
    const char *text = (const char *)xmlTextReaderConstValue(xml->reader);
    size_t length = strlen(xml->text);

    if (!element || !element->number || !text)
        return;
    if (strlen(text) < sizeof(xml->text) - length)
        strcpy(xml->text + length, text);
    else
        xml->is_too_long = true;
}

static void
read_node(struct table_xml *xml)
{
    int depth = xmlTextReaderDepth(xml->reader);

    switch (xmlTextReaderNodeType(xml->reader)) {
    case XML_READER_TYPE_ELEMENT:
        return open_element(xml, depth);
    case XML_READER_TYPE_END_ELEMENT:
        return close_element(xml, depth);
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
        return add_text(xml, depth);
    default:
        return;
    }
}

/* An entity that nobody declares is a fault, because nothing would be read in its place. A newer
 * libxml2 only warns of such an entity. */
static void
on_fault(void *data, stream_fault *fault)
{
    const char *message = fault->message ? fault->message : "no memory";

    if (fault->level >= XML_ERR_ERROR || fault->code == XML_WAR_UNDECLARED_ENTITY)
        fail_at(data, fault->line, "%.*s", (int)strcspn(message, "\n"), message);
}

static bool
may_stand(const char *declaration)
{
    static const char *const known[] = {"<!--", "<!DOCTYPE", "<![CDATA["};

    return ARRAY_HAS(known, COUNT(known), each, !strncmp(declaration, *each, strlen(*each)));
}

/* The reader gives the parser small pieces. With each the parser goes back to the last '<' and '>',
 * and in a tag it compares each attribute with all others. So these must not be far apart. Without
 * another "<!" nothing can be declared. */
static int
check_shape(const struct document *document, struct error *error)
{
    const char *end = document->text + document->length;
    const char *opened = document->text, *closed = document->text;
    unsigned line = 1;

    for (const char *at = document->text; at < end; at++) {
        opened = *at == '<' ? at : opened;
        closed = *at == '>' ? at : closed;
        line += *at == '\n';
        if (at - opened > LONGEST || at - closed > LONGEST)
            return error_set(error, -EINVAL,
                             "line %u: a tag, a text or a comment is longer than %d KiB", line,
                             LONGEST >> 10);
        if (at[0] == '<' && at[1] == '!' && !may_stand(at))
            return error_set(error, -EINVAL,
                             "line %u: it declares something itself, such as an entity", line);
    }
    return 0;
}

static int
parse(struct table_xml *xml)
{
    int rc = 1;

    xmlTextReaderSetStructuredErrorHandler(xml->reader, on_fault, xml);
    while (!xml->failed && (rc = xmlTextReaderRead(xml->reader)) == 1)
        read_node(xml);
    if (!xml->failed && rc < 0)
        return error_set(xml->error, -ENOMEM, "no memory");
    return xml->failed ? -EINVAL : 0;
}

int
table_xml_read(const struct document *document, const struct table_element *elements, size_t count,
               void *data, struct error *error)
{
    static const struct table_element whole = {.name = ""};
    struct table_xml xml = {
        .elements = elements, .count = count, .data = data, .error = error, .around = {&whole}};
    size_t ignored;
    int rc;

    if (document->length == 0)
        return error_set(error, -EINVAL, "it is empty");
    rc = document_check_encoding(document, &ignored, error);
    if (rc == 0)
        rc = check_shape(document, error);
    if (rc < 0)
        return rc;
    stream_silence();
    xml.reader =
        xmlReaderForMemory(document->text, (int)document->length, NULL, "UTF-8", STREAM_OPTIONS);
    rc = xml.reader ? parse(&xml) : error_set(error, -ENOMEM, "no memory for the XML parser");
    xmlFreeTextReader(xml.reader);
    return rc;
}
