/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * span: where in a document the parser's values stand, for request.c, which walks it.
 *
 * A span is known only if those very bytes of the document are meant: it is not if the document is
 * no UTF-8, or a value had to be normalised (character references, line feeds). To be asked while
 * the parser hands over the element, and not later.
 */

#pragma once

#include "domain/annotation.h"

/* What the quotes of an attribute hold. */
struct document_span
span_of_value(const struct annotation_attributes *attributes, const char *name) NONNULL;

/* All attributes of the element, from the end of its name to the end of the last. */
struct document_span
span_of_attributes(const struct annotation_attributes *attributes, const char *element) NONNULL;
