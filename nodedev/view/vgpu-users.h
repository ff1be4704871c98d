/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpu-users: finds the domains that have the vGPUs of this host, with as few questions to libvirt
 * as possible.
 *
 * libvirt is asked for the XML of each domain separately, and may know thousands of domains. For a
 * running guest its status file tells the same. For a vGPU that is kept, the domain that its lease
 * names is enough. All definitions are read only if some vGPU still has no user.
 */

#pragma once

#include "actions/snapshot.h"
#include "libvirt/references.h"

/*
 * Finds whether each existing vGPU of the snapshot is an orphan, and who has each vGPU without a
 * lease. ret does not have all domains. Returns the errors of references_ask. The caller clears ret
 * in every case.
 */
int vgpu_users_find(const struct host *host, const char *uri, const struct snapshot *snapshot,
                    struct references *ret, struct error *error) CHECKED NONNULL;
