/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * incoming: under which UUIDs a guest that arrives, by migration or from a saved image, can have
 * its vGPUs here.
 *
 * Nothing is made or claimed: `prepare` follows in the same call of libvirt's, and nothing may
 * follow an offline migration. So what is refused is only what this host can never give; whether
 * there is room now is prepare's to say.
 */

#pragma once

#include "host.h"
#include "request.h"

/*
 * The use case of the hook's `migrate` and `restore`. A UUID is kept if no device on this host has
 * it, or one of ours that was kept for this very domain and is of a type that it asks for; never
 * if it is another domain's. Else, or always with migrate_uuid = "new", it gets a fresh one. ret is
 * the new document, empty if nothing changes; the caller clears it.
 */
int incoming_rewrite(const struct host *host, const struct document *document,
                     const struct request *request, struct document *ret,
                     struct error *error) CHECKED NONNULL;
