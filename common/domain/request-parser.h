/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * request-parser: reads a request from a domain's XML.
 *
 * Less trusted people write the XML. So it is parsed as a stream of events, without network,
 * document type or entities of its own. No tree of it is ever built. If a document is no domain
 * XML, the parser fails. If only the annotation is wrong, the request keeps its `fault`.
 */

#pragma once

#include "domain/request.h"

/*
 * Reads a domain's XML. -EINVAL with a line in error: the XML is unreadable, is not UTF-8, has no
 * <uuid>, or costs more than stream.h allows. Then ret has what was read before the fault, because
 * release needs only the UUID. If the UUID was read, ret has a name too. The caller clears ret in
 * every case.
 *
 * A span is known only if exactly these bytes of the document are the value. It is not known if the
 * value had to be normalised (character references, line feeds).
 */
int request_parse(const struct document *document, struct request *ret,
                  struct error *error) CHECKED NONNULL;

/* The same for XML that libvirt may not have seen yet. libvirt will give a UUID to a domain without
 * a <uuid>; here ret->domain is "" for such a domain. */
int request_parse_draft(const struct document *document, struct request *ret,
                        struct error *error) CHECKED NONNULL;

/* The same for a status file of libvirt, where a <domstatus> encloses the domain. */
int request_parse_status(const struct document *document, struct request *ret,
                         struct error *error) CHECKED NONNULL;
