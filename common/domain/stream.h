/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stream: a document on its way through libxml2, as events. A fault of the XML, a document type, or
 * a count over its budget stops it.
 *
 * The document is parsed in pieces, to notice a tag that is too long. libxml2 waits for the end of
 * a tag, and then compares each attribute with every other one. That takes minutes for a megabyte
 * of attributes. libxml2 tells their number only afterwards.
 */

#pragma once

#include "base/document.h"
#include "domain/budget.h"

#include <libxml/parser.h>
#include <libxml/SAX2.h>

/* How libxml2 parses any document: without network, and as UTF-8. By itself libxml2 would convert a
 * document from the encoding that it declares, or that its first bytes look like.
 * document_check_encoding refuses such a document before. */
#define STREAM_OPTIONS (XML_PARSE_NONET | XML_PARSE_IGNORE_ENC)

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

/* Stops the parser if a count is over its budget. True: it has stopped, now or earlier. */
bool stream_is_too_much(struct stream *stream) CHECKED NONNULL;

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
