/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * references: which domains of this host refer to a vGPU, and which vGPUs are orphans therefore.
 *
 * Only libvirt knows the domains that are merely defined. Ask it after the inventory was taken:
 * then a domain whose vGPU was seen there is seen as well.
 */

#pragma once

#include "device/inventory.h"
#include "lease/statedir.h"
#include "libvirt/domains.h"

struct references {
    struct domains domains;
    unsigned libvirt_version; /* 1000000 * major + 1000 * minor + release, of one that runs QEMU's
                                 guests; 0: not known */
    bool known;               /* libvirt said all that matter: else nothing is an orphan */
    struct statedir statedir; /* says who is at work */
};

/* What can be told without libvirt: who is at work, and which guests run, as far as their status
 * files may be read. -errno with a line in error. The caller clears ret in every case. */
int references_look(const struct host *host, struct references *ret,
                    struct error *error) CHECKED NONNULL;

/* Asks the libvirt of this host for all domains; -ENOTCONN or the like with a line in error if it
 * does not say all that is to be known. The caller clears ret in every case. */
int references_ask(const struct host *host, const char *uri, struct references *ret,
                   struct error *error) CHECKED NONNULL;
void references_clear(struct references *references) NONNULL;

/* Of a device that has this lease, or none (NULL). */
bool references_is_orphan(const struct references *references, const struct inventory_vgpu *vgpu,
                          const struct lease *lease) __attribute__((nonnull(1, 2))) CHECKED;
