/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpu-users: which domains have the vGPUs of this host, and no more of libvirt than that takes.
 *
 * libvirt is asked for each domain's XML one by one, and may know thousands. Of a running guest its
 * status file tells the same, and of a vGPU that is kept the one domain that its lease names. Only
 * if some vGPU is nobody's then, all definitions are read.
 */

#pragma once

#include "actions/snapshot.h"
#include "libvirt/references.h"

/*
 * Fills in what says of each vGPU of the snapshot that is there whether it is an orphan, and of one
 * without a lease who has it. Not all domains are in it. The errors of references_ask. The caller
 * clears ret in every case.
 */
int vgpu_users_find(const struct host *host, const char *uri, const struct snapshot *snapshot,
                    struct references *ret, struct error *error) CHECKED NONNULL;
