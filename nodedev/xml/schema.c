/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "xml/schema.h"
#include "domain/request-parser.h"
#include "domain/request.h"
#include "xml/xml-tree.h"

#include <fcntl.h>
#include <libxml/relaxng.h>
#include <stdio.h>
#include <string.h>

static const xmlChar *
chars(const char *text)
{
    return (const xmlChar *)text;
}

/* libxml2's habit is to print its errors; 2.12 made the second parameter const. */
static void
#if LIBXML_VERSION >= 21200
say_nothing(void *data, const xmlError *fault)
#else
say_nothing(void *data, xmlErrorPtr fault)
#endif
{
    (void)data;
    (void)fault;
}

/* From memory, as libxml2 prints what it cannot open. */
static int
read_rules(const struct host *host, struct schema *schema, const char *path)
{
    AUTO(document_clear) struct document document = {0};
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    xmlRelaxNGParserCtxtPtr parser = NULL;
    struct error ignored;

    if (fd < 0 || document_read(host, fd, &document, &ignored) < 0)
        return -ENOENT;
    parser = xmlRelaxNGNewMemParserCtxt(document.text, (int)document.length);
    if (!parser)
        return -ENOENT;
    xmlRelaxNGSetParserStructuredErrors(parser, say_nothing, NULL);
    schema->rules = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    return schema->rules ? 0 : -ENOENT;
}

int
schema_open(const struct host *host, struct schema *schema, struct error *error)
{
    AUTO_FREE char *path = NULL;

    *schema = (struct schema){0};
    if (asprintf(&path, "%s/vgpu-request.rng", host->data) < 0) {
        path = NULL;
        return error_set(error, -ENOMEM, "no memory");
    }
    return read_rules(host, schema, path) == 0
               ? 0
               : error_set(error, -ENOENT,
                           "%s: the schema cannot be read; install libvirt-vgpu anew", path);
}

void
schema_close(struct schema *schema)
{
    if (schema->rules)
        xmlRelaxNGFree(schema->rules);
    *schema = (struct schema){0};
}

/* The first fault of a piece: libxml2 tells the innermost first. */
struct piece_fault {
    unsigned line;
    struct error words;
};

static void
#if LIBXML_VERSION >= 21200
note_fault(void *data, const xmlError *fault)
#else
note_fault(void *data, xmlErrorPtr fault)
#endif
{
    struct piece_fault *first = data;
    const char *text = fault->message ? fault->message : "it is not as the schema says";

    if (*first->words.text)
        return;
    first->line = fault->line > 0 ? (unsigned)fault->line : 0;
    error_set(&first->words, 0, "%.*s", (int)strcspn(text, "\n"), text);
}

/* A document that is a request with one device, or whatever stands there: one fault would hide
 * those behind it. NULL: no memory. */
static xmlDocPtr
cut_piece(xmlNodePtr request, xmlNodePtr child)
{
    xmlDocPtr piece = xmlNewDoc(chars("1.0"));
    xmlNodePtr root, copy;

    if (!piece)
        return NULL;
    /* 2: with attributes, without children. */
    root = child ? xmlNewDocNode(piece, NULL, chars("request"), NULL)
                 : xmlDocCopyNode(request, piece, 2);
    if (root)
        xmlDocSetRootElement(piece, root);
    if (root && child) {
        xmlSetNs(root, xmlNewNs(root, chars(REQUEST_NAMESPACE), chars("vgpu")));
        copy = xmlDocCopyNode(child, piece, 1);
        root = copy ? xmlAddChild(root, copy) : NULL;
    }
    if (!root) {
        xmlFreeDoc(piece);
        return NULL;
    }
    return piece;
}

/* What the hook's parser says of a piece, in the words that the guest's start would be refused
 * with. It is handed a domain that has nothing else. */
static void
ask_parser(xmlDocPtr piece, struct piece_fault *fault)
{
    static const char head[] = "<domain><uuid>00000000-0000-4000-8000-000000000000</uuid>"
                               "<metadata>",
                      tail[] = "</metadata></domain>";
    AUTO(request_clear) struct request request = {0};
    xmlBufferPtr buffer = xmlBufferCreate();
    struct document document;
    struct error ignored;

    if (!buffer)
        return;
    xmlBufferCat(buffer, chars(head));
    xmlNodeDump(buffer, piece, xmlDocGetRootElement(piece), 0, 0);
    xmlBufferCat(buffer, chars(tail));
    document = (struct document){
        .text = (char *)xmlBufferContent(buffer),
        .length = (size_t)xmlBufferLength(buffer),
    };
    if (request_parse(&document, &request, &ignored) == 0 && *request.fault.text)
        fault->words = request.fault;
    xmlBufferFree(buffer);
}

static int
check_piece(const struct schema *schema, xmlNodePtr request, xmlNodePtr child, const char *file,
            struct report *report)
{
    xmlDocPtr piece = cut_piece(request, child);
    xmlRelaxNGValidCtxtPtr validator = xmlRelaxNGNewValidCtxt(schema->rules);
    struct piece_fault fault = {0};
    int rc = piece && validator ? 0 : -ENOMEM;

    if (rc == 0) {
        xmlRelaxNGSetValidStructuredErrors(validator, note_fault, &fault);
        if (xmlRelaxNGValidateDoc(validator, piece) != 0) {
            ask_parser(piece, &fault);
            if (!fault.line)
                fault.line = (unsigned)xmlGetLineNo(child ? child : request);
            report_fault(report, file, fault.line, "%s", fault.words.text);
        }
    }
    if (validator)
        xmlRelaxNGFreeValidCtxt(validator);
    if (piece)
        xmlFreeDoc(piece);
    return rc;
}

static int
check_request(const struct schema *schema, xmlNodePtr request, const char *file,
              struct report *report)
{
    int rc = check_piece(schema, request, NULL, file, report);

    for (xmlNodePtr child = request->children; rc == 0 && child; child = child->next) {
        if (child->type == XML_ELEMENT_NODE)
            rc = check_piece(schema, request, child, file, report);
    }
    return rc;
}

int
schema_check(const struct schema *schema, xmlDocPtr domain, const char *file, struct report *report)
{
    xmlNodePtr root = xmlDocGetRootElement(domain), part = NULL, request = NULL;
    int rc = 0;

    while (root && (part = xml_tree_next(root, part, "metadata", NULL))) {
        while (rc == 0 && (request = xml_tree_next(part, request, "request", REQUEST_NAMESPACE)))
            rc = check_request(schema, request, file, report);
    }
    return rc;
}
