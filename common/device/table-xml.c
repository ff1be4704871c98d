/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/table-xml.h"
#include "domain/stream.h"

#include <stdio.h>
#include <string.h>

#define MOST_MARKS 524288 /* each '<' and '=' is at most two nodes of the tree */
#define MOST_EQUAL 1024   /* each '=' of a tag may be an attribute */

struct fault {
    struct error *error;
    int rc; /* 0: there is none */
};

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

/* Copies the text of an element or an attribute. A comment may divide the text. Returns false if
 * the text does not fit. */
static bool
copy_text(const xmlNode *children, char *ret, size_t size)
{
    size_t length = 0;

    *ret = '\0';
    for (; children; children = children->next) {
        size_t more;

        if (children->type != XML_TEXT_NODE && children->type != XML_CDATA_SECTION_NODE)
            continue;
        more = strlen((const char *)children->content);
        if (more >= size - length)
            return false;
        strcpy(ret + length, (const char *)children->content);
        length += more;
    }
    return true;
}

static uint64_t
read_number(const xmlNode *children)
{
    char text[32];

    return copy_text(children, text, sizeof(text)) ? parse_number(text) : TABLE_XML_WRONG;
}

uint64_t
table_xml_number(const xmlNode *element, const char *name)
{
    const xmlAttr *attribute = xmlHasNsProp(element, BAD_CAST name, NULL);

    return attribute ? read_number(attribute->children) : TABLE_XML_ABSENT;
}

void
table_xml_text(const xmlNode *element, const char *name, char *ret, size_t size)
{
    const xmlAttr *attribute = xmlHasNsProp(element, BAD_CAST name, NULL);
    bool is_sound = copy_text(attribute ? attribute->children : NULL, ret, size);

    for (const char *at = ret; is_sound && *at; at++)
        is_sound = *at >= ' ' && *at <= '~';
    if (!is_sound)
        *ret = '\0';
}

static bool
is_named(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && !(node->ns && node->ns->prefix) &&
           !strcmp((const char *)node->name, name);
}

const xmlNode *
table_xml_next(const xmlNode *parent, const xmlNode *after, const char *name)
{
    const xmlNode *node = after ? after->next : parent->children;

    while (node && !is_named(node, name))
        node = node->next;
    return node;
}

uint64_t
table_xml_number_inside(const xmlNode *parent, const char *name)
{
    uint64_t number = TABLE_XML_ABSENT;

    for (const xmlNode *node = NULL; (node = table_xml_next(parent, node, name));)
        number = read_number(node->children);
    return number;
}

/* An entity that nobody declares is a fault, because nothing would be read in its place. A newer
 * libxml2 only warns of such an entity. */
static void
on_fault(void *data, stream_fault *raised)
{
    xmlParserCtxt *parser = data;
    struct fault *fault = parser->_private;
    const char *message = raised->message ? raised->message : "no memory";

    if (fault->rc < 0 ||
        (raised->level < XML_ERR_ERROR && raised->code != XML_WAR_UNDECLARED_ENTITY))
        return;
    fault->rc = error_set(fault->error, raised->code == XML_ERR_NO_MEMORY ? -ENOMEM : -EINVAL,
                          "line %d: %.*s", raised->line, (int)strcspn(message, "\n"), message);
    xmlStopParser(parser);
}

/* Counts before a parser takes memory for each tag and attribute. libxml2 compares each attribute
 * of a tag with all others. */
static int
check_size(const struct document *document, struct error *error)
{
    size_t marks = 0, equal = 0;

    for (size_t i = 0; i < document->length; i++) {
        char byte = document->text[i];

        equal = byte == '<' ? 0 : equal + (byte == '=');
        marks += byte == '<' || byte == '=';
        if (equal > MOST_EQUAL)
            return error_set(error, -EINVAL, "an element has more than %d attributes", MOST_EQUAL);
        if (marks > MOST_MARKS)
            return error_set(error, -EINVAL, "it has more than %d tags and attributes", MOST_MARKS);
    }
    return 0;
}

static int
check_tree(xmlDoc *tree, const char *root, struct error *error)
{
    const xmlDtd *type = xmlGetIntSubset(tree);
    const xmlNode *found = xmlDocGetRootElement(tree);

    if (type && type->children)
        return error_set(error, -EINVAL, "it declares something itself, such as an entity");
    if (!is_named(found, root))
        return error_set(error, -EINVAL, "line %ld: the root is <%.64s>, and not <%s>",
                         xmlGetLineNo(found), (const char *)found->name, root);
    return 0;
}

static int
parse(const struct document *document, xmlDoc **ret, struct error *error)
{
    struct fault fault = {.error = error};
    xmlParserCtxt *parser = xmlNewParserCtxt();

    if (parser) {
        parser->_private = &fault;
        parser->sax->serror = on_fault;
        *ret = xmlCtxtReadMemory(parser, document->text, (int)document->length, NULL, "UTF-8",
                                 STREAM_OPTIONS | XML_PARSE_NOBLANKS | XML_PARSE_COMPACT);
    }
    xmlFreeParserCtxt(parser);
    return fault.rc < 0 ? fault.rc
           : *ret       ? 0
                        : error_set(error, -ENOMEM, "no memory for the XML parser");
}

int
table_xml_read(const struct document *document, const char *root, xmlDoc **ret, struct error *error)
{
    size_t ignored;
    int rc;

    *ret = NULL;
    if (document->length == 0)
        return error_set(error, -EINVAL, "it is empty");
    rc = document_check_encoding(document, &ignored, error);
    if (rc == 0)
        rc = check_size(document, error);
    if (rc < 0)
        return rc;
    stream_silence();
    rc = parse(document, ret, error);
    return rc < 0 ? rc : check_tree(*ret, root, error);
}

void
table_xml_free(xmlDoc **tree)
{
    xmlFreeDoc(*tree);
}
