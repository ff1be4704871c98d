/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * span: where in a document the values of the parser stand, for request-parser.c, which walks it.
 *
 * A span is known only if those very bytes of the document are the value. It is not known if the
 * document is not UTF-8, or if the parser had to change the value (character references, line
 * feeds). Ask while the parser hands over the element; later it has moved on.
 */

#pragma once

#include "domain/annotation.h"

/* What stands between the quotes of an attribute. */
struct document_span
span_of_value(const struct annotation_attributes *attributes, const char *name) NONNULL;

/* All attributes of the element, from the end of its name to the end of the last. */
struct document_span
span_of_attributes(const struct annotation_attributes *attributes, const char *element) NONNULL;
