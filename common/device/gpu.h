/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu: what the kernel tells of a GPU's own device, whatever interface its vGPUs have.
 */

#pragma once

#include "device/inventory.h"

/* Fills in the NUMA node, the PCI ids and the driver from a device's directory below root. A field
 * that cannot be read stays as it is. */
void
gpu_describe(const struct host *host, const struct path *device, struct inventory_gpu *gpu) NONNULL;

/* Adds the GPU at a PCI address, with these fields, unless it is there. */
struct inventory_gpu *
gpu_add_pci(const struct host *host, const struct name *address, struct inventory *inventory)
    __attribute__((nonnull, returns_nonnull));
