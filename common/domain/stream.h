/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stream: a document on its way through libxml2, as events, and what stops it: a fault of the XML,
 * a document type, or more of anything than its budget allows.
 *
 * The document is parsed in pieces, to notice a tag that is too long: libxml2 waits for the end of
 * a tag and then compares each attribute with each, which takes minutes for a megabyte of them, and
 * only then tells how many there are.
 */

#pragma once

#include "base/document.h"
#include "domain/budget.h"

#include <libxml/parser.h>
#include <libxml/SAX2.h>

struct stream {
    const struct document *document;
    struct error *error;
    xmlParserCtxtPtr xml; /* its user data begins with this */
    bool failed;          /* and error says why */
    unsigned line;        /* of the last element that began */
    struct budget budget;
};

/* Parses all, or up to what has failed. Names are counted here, as not all are of elements. */
void stream_feed(struct stream *stream) NONNULL;

/* Ends it with a line; the first that is said counts. */
void stream_fail(struct stream *stream, const char *why) NONNULL;

/* The same with the line that the parser is at. */
void stream_fail_here(struct stream *stream, const char *format, ...) FORMAT(2, 3) NONNULL;

/* Ends it if it has met too much of anything. True if it has ended. */
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
