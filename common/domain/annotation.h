/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * annotation: the grammar of <vgpu:request>. request-parser.c walks the document and calls us.
 *
 * An unknown name in our namespace is a fault. If it were ignored, a spelling mistake could give a
 * guest the wrong GPU. The request keeps all faults with their lines.
 */

#pragma once

#include "domain/request.h"

/* The attributes of the element that the parser is handing over. */
struct annotation_attributes {
    const unsigned char **items; /* libxml2's SAX2 array: local name, prefix, URI, value and end of
                                    value for each attribute */
    size_t count;
    const struct document *document; /* where the element stands, for hostdev.h */
    struct _xmlParserCtxt *xml;
};

enum annotation_namespace {
    ANNOTATION_NONE,
    ANNOTATION_OURS,
    ANNOTATION_NEWER, /* ours, of a version that we do not know */
    ANNOTATION_FOREIGN,
};

/* Which namespace a URI names. NULL: the element has none. */
enum annotation_namespace annotation_namespace(const char *uri);

/* The value of an attribute without a namespace; NULL: it is not there. The text belongs to the
 * parser, is not terminated, and may hold "&#38;" for an ampersand. */
const char *annotation_find_value(const struct annotation_attributes *attributes, const char *name,
                                  size_t *length) NONNULL;

/* annotation_attribute_is compares such a value with a text. annotation_copy_attribute copies a
 * value. The caller frees the copy. NULL: the attribute is not there, or there is no memory. */
bool annotation_attribute_is(const struct annotation_attributes *attributes, const char *name,
                             const char *value) CHECKED NONNULL;
char *annotation_copy_attribute(const struct annotation_attributes *attributes,
                                const char *name) CHECKED NONNULL;

/* Records a fault at the parser's line. */
void annotation_fault(struct request *request, const char *format, ...) FORMAT(2, 3) NONNULL;

/* Records an element that must not stand where it does: an unknown one in a <vgpu:request>; one of
 * our namespace elsewhere; or, in <metadata>, a "request" without a namespace. */
void annotation_misplaced(struct request *request, const char *name, const char *uri,
                          bool is_in_request) __attribute__((nonnull(1, 2)));

/* Each reads the start tag of its element. Errors: -ENOMEM. */
void annotation_open_request(struct request *request,
                             const struct annotation_attributes *attributes) NONNULL;
int annotation_open_device(struct request *request,
                           const struct annotation_attributes *attributes) CHECKED NONNULL;
int annotation_open_param(struct request *request,
                          const struct annotation_attributes *attributes) CHECKED NONNULL;
