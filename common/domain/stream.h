/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stream: a document on its way through libxml2, as events. A fault of the XML, a document type, or
 * a count over its budget stops it.
 *
 * The document is parsed in pieces, to notice a tag that is too long. libxml2 waits for the end of
 * a tag, and then compares each attribute with every other one. That takes minutes for a megabyte
 * of attributes. libxml2 tells their number only afterwards.
 *
 * What the reading of one document may cost is counted from the content, and never measured in
 * time. libxml2 compares names with names. It compares the attributes of an element with each
 * other, and each prefix with every namespace that is declared there. Before 2.12 it also compares
 * a new name with many of the names that it has met. So a few megabytes, well within every other
 * limit, can take minutes. The parser counts what it meets, and stops at the first count that is
 * too high. Real guests are far below: one with 500 devices, 512 processors and 100 KiB of metadata
 * uses less than a quarter of every limit.
 */

#pragma once

#include "base/document.h"

#include <libxml/parser.h>
#include <libxml/SAX2.h>

/* How libxml2 parses any document: without network, and as UTF-8. By itself libxml2 would convert a
 * document from the encoding that it declares, or that its first bytes look like.
 * document_check_encoding refuses such a document before. */
#define STREAM_OPTIONS (XML_PARSE_NONET | XML_PARSE_IGNORE_ENC)

#define STREAM_MOST_LEVELS 256 /* nested elements; libxml2's own limit */

enum budget_item {
    BUDGET_LEVELS, /* the deepest nesting; the others count the whole document */
    BUDGET_ELEMENTS,
    BUDGET_ATTRIBUTES,
    BUDGET_NAMESPACES,  /* declarations, valid or not */
    BUDGET_NAMES,       /* different ones: of elements, attributes, prefixes, namespaces */
    BUDGET_COMPARISONS, /* of two names; estimated from the other counts, for a library without hash
                           tables */
    BUDGET_ITEMS,
};

/* What a document has cost so far. Begins as zeroes. */
struct budget {
    size_t used[BUDGET_ITEMS];
    size_t level;
    size_t in_force[STREAM_MOST_LEVELS + 2]; /* namespace declarations, by level */
};

struct stream {
    const struct document *document;
    struct error *error;
    xmlParserCtxtPtr xml; /* its user data begins with this struct */
    bool failed;          /* error says why */
    unsigned line;        /* of the last element that began */
    struct budget budget;
};

/* Without this, libxml2 writes some faults of its own to stderr. libvirt shows our stderr to
 * people. */
void stream_silence(void);

/* Parses the whole document, or up to a failure. Names are counted here, because not only elements
 * have names. */
void stream_feed(struct stream *stream) NONNULL;

/* Stops the parser. error gets the line of the first call. */
void stream_fail(struct stream *stream, const char *why) NONNULL;

/* The same. The parser's line number is put before the text. */
void stream_fail_here(struct stream *stream, const char *format, ...) FORMAT(2, 3) NONNULL;

/* Counts an element that begins, with so many attributes and namespace declarations, and stops the
 * parser if a count is over its budget. Returns whether the parser goes on. */
bool
stream_open_element(struct stream *stream, size_t attributes, size_t namespaces) CHECKED NONNULL;

/* Notes that an element ends. */
void stream_close_element(struct stream *stream) NONNULL;

/* libxml2 2.12 made it const. */
#if LIBXML_VERSION >= 21200
typedef const xmlError stream_fault;
#else
typedef xmlError stream_fault;
#endif

/* For the parser's xmlSAXHandler: its internalSubset and serror. */
void stream_on_document_type(void *data, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system);
void stream_on_fault(void *data, stream_fault *fault);
