/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * references: which domains of this host refer to a vGPU, and so which vGPUs are orphans.
 *
 * Only libvirt knows the domains that are defined and do not run. Ask libvirt after the inventory
 * was taken. Then the domain of each vGPU in the inventory is seen as well.
 */

#pragma once

#include "device/inventory.h"
#include "lease/statedir.h"
#include "libvirt/domains.h"

struct references {
    struct domains domains;
    unsigned libvirt_version; /* 1000000 * major + 1000 * minor + release, if it runs QEMU's guests;
                                 0: not known */
    bool known;               /* libvirt told all that matters; else no vGPU counts as an orphan */
    struct statedir statedir; /* says which processes are at work */
};

/* Finds what is known without libvirt: the processes at work, and the running guests whose status
 * files may be read. Returns -errno with a line in error. The caller clears ret in every case. */
int references_look(const struct host *host, struct references *ret,
                    struct error *error) CHECKED NONNULL;

/* Asks this host's libvirt for all domains. Returns -ENOTCONN or another code with a line in error
 * if libvirt does not tell them all. The caller clears ret in every case. */
int references_ask(const struct host *host, const char *uri, struct references *ret,
                   struct error *error) CHECKED NONNULL;
void references_clear(struct references *references) NONNULL;

/* Whether a device is an orphan. `lease` is the device's lease, or NULL if it has none. */
bool references_is_orphan(const struct references *references, const struct inventory_vgpu *vgpu,
                          const struct lease *lease) __attribute__((nonnull(1, 2))) CHECKED;
