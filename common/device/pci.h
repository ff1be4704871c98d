/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pci: what the kernel tells of any PCI device, by its address; of a GPU; and what is on a card.
 */

#pragma once

#include "base/host.h"
#include "device/inventory.h"

#define PCI_DEVICES "sys/bus/pci/devices"

/* Finds the card of a virtual function: 0. -errno: the device is no virtual function, or has gone,
 * and ret is the device itself. */
int pci_find_card(const struct host *host, const struct name *device, struct name *ret) NONNULL;

/* Whether the vendor of a PCI device has this id, as "10de". False: the id is another one, or the
 * device is no PCI device. */
bool
pci_is_of(const struct host *host, const struct name *device, const char *vendor) CHECKED NONNULL;

/* The driver that a device is bound to; "": none. */
struct name pci_driver(const struct host *host, const struct name *device) CHECKED NONNULL;

/* Whether a device is a display controller or a processing accelerator (PCI classes 03 and 12).
 * Other devices, such as network cards, may have virtual functions as well. */
bool pci_is_gpu(const struct host *host, const struct name *device) CHECKED NONNULL;

/* --- a GPU's own device, whatever interface its vGPUs have ------------------------------------ */

/* Fills in the NUMA node, the PCI ids and the driver from a device's directory below root. A field
 * that cannot be read stays as it is. */
void
gpu_describe(const struct host *host, const struct path *device, struct inventory_gpu *gpu) NONNULL;

/* Adds the GPU at a PCI address, with these fields, unless it is there. */
struct inventory_gpu *
gpu_add_pci(const struct host *host, const struct name *address, struct inventory *inventory)
    __attribute__((nonnull, returns_nonnull));

/* --- what is on a card, and can be somebody's ------------------------------------------------- */

/* A virtual function of the card, or a mediated device on the card or on a function. Any program
 * may have made it, and any guest may have it. */
struct occupant {
    struct name device;    /* the address of a function, or a UUID */
    struct path directory; /* below root */
};

struct occupants {
    struct occupant *items;
    size_t count;
};

/* Lists what is on a card. Only directories and links are read, so no driver is waited for. The
 * caller clears ret. */
void
occupants_list(const struct host *host, const struct name *card, struct occupants *ret) NONNULL;
void occupants_clear(struct occupants *occupants) NONNULL;
