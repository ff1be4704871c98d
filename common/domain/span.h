/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * span: where the parser's values stand in a document. request-parser.c walks the document and asks
 * us.
 *
 * A span is known only if exactly these bytes of the document are the value. It is not known if the
 * parser had to change the value (character references, line feeds). Ask only while the parser
 * hands over the element.
 */

#pragma once

#include "domain/annotation.h"

/* The text between the quotes of an attribute. */
struct document_span
span_of_value(const struct annotation_attributes *attributes, const char *name) NONNULL;

/* All attributes of the element, from the end of its name to the end of the last attribute. */
struct document_span
span_of_attributes(const struct annotation_attributes *attributes, const char *element) NONNULL;
