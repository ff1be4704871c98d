/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * incoming: which sources an arriving guest gets in its XML. It arrives by migration or from a
 * saved image.
 *
 * arrival.h says where the guest can have its vGPUs. The `prepare` that follows makes a vGPU under
 * the UUID that the XML has by then.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * The use cases of the hook's `migrate` and `restore`.
 *
 * A UUID is kept if no device on this host has it. It is also kept if its device is of a type that
 * the domain asks for, and the domain may have the device back. Such a device was kept for this
 * very domain, or is a leftover of this domain that nobody has open. Another domain's UUID is never
 * kept. Else, or with migrate_uuid = "new", the hostdev gets a fresh UUID.
 *
 * A virtual function is kept if it can be had now; else it becomes another one. If no GPU can give
 * a device of its kind, it becomes one of the other kind. ret is the new document, empty if nothing
 * changes. The caller clears it.
 *
 * A restored guest gets the types that its vGPUs had when it was saved, as far as they are known
 * (lease/saved-type.h). REFUSED: this host can never give one of them.
 */
int incoming_migrate(const struct host *host, const struct document *document,
                     const struct request *request, struct document *ret,
                     struct error *error) CHECKED NONNULL;
int incoming_restore(const struct host *host, const struct document *document,
                     const struct request *request, struct document *ret,
                     struct error *error) CHECKED NONNULL;
