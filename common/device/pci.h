/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pci: what the kernel tells of any PCI device, by its address.
 */

#pragma once

#include "base/host.h"

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
