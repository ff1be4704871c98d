/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * request-parser: reads a request from a domain's XML.
 *
 * The XML is written by less trusted people. It is parsed as a stream of events, without network,
 * document type or entities of its own; no tree of it is ever built. A document that is no domain
 * XML is unreadable, and the parser fails; what is wrong in the annotation alone is kept in the
 * request as its `fault`.
 */

#pragma once

#include "domain/request.h"

/*
 * Reads a domain's XML. -EINVAL with a line in error if it is unreadable, has no <uuid>, or would
 * cost more than budget.h allows; what was read before the fault is in ret (with a name, if the
 * UUID was read), because release needs only the UUID. The caller clears ret in every case.
 *
 * A span is known only if those very bytes of the document are the value: it is not if the document
 * is no UTF-8, or the value had to be normalised (character references, line feeds).
 */
int request_parse(const struct document *document, struct request *ret,
                  struct error *error) CHECKED NONNULL;

/* The same of XML that libvirt may not have seen yet: it gives a domain without a <uuid> one. Then
 * ret->domain is "". */
int request_parse_draft(const struct document *document, struct request *ret,
                        struct error *error) CHECKED NONNULL;

/* The same of a libvirt status file, in which a <domstatus> is around the domain. */
int request_parse_status(const struct document *document, struct request *ret,
                         struct error *error) CHECKED NONNULL;
