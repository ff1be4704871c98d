/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * incoming: with which sources a guest that arrives, by migration or from a saved image, can have
 * its vGPUs here.
 *
 * Nothing is made: `prepare` follows in the same call of libvirt's, and nothing may follow an
 * offline migration. So what is refused is only what this host can never give; whether there is
 * room now is prepare's to say. Places are as near as can be to what the XML says: each device
 * where it is, if that can be had; else another virtual function; else a device of the other kind.
 * What has room now is preferred to what a start can clear, and that to what could only be had
 * another day. But a virtual function must be chosen now, as prepare cannot change the XML any
 * more: one that has room is reserved for the domain, for a minute.
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
