/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * incoming: which sources a guest that arrives, by migration or from a saved image, gets in its
 * XML.
 *
 * Where it can have its vGPUs, "arrival" tells. A vGPU with a UUID is made by the `prepare` that
 * follows, under the UUID that the XML has by then.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * The use case of the hook's `migrate` and `restore`.
 *
 * A UUID is kept if no device on this host has it, or one of ours that was kept for this very
 * domain and is of a type that it asks for; never if it is another domain's. Else, or always with
 * migrate_uuid = "new", it gets a fresh one. A virtual function is kept if it can be had now, else
 * it becomes another; and what no GPU of its kind can give becomes one of the other kind. ret is
 * the new document, empty if nothing changes; the caller clears it.
 */
int incoming_rewrite(const struct host *host, const struct document *document,
                     const struct request *request, struct document *ret,
                     struct error *error) CHECKED NONNULL;
