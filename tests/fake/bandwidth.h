/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * bandwidth: an imaginary interface of the kernel, and an imaginary vendor of a card. No file of
 * the product knows them. So they show that a new interface is one row and one limit, and a new
 * vendor is one row.
 *
 * The functions of a card share its bandwidth, in percent. Each function has a file "bandwidth" in
 * /sys. Writing a number makes the function a vGPU, and 0 takes that back. The file "shares" of the
 * card lists the numbers that may be written. Each is a type: "share-25".
 * The vendor gives one guest shares of one size only.
 */

#pragma once

#include "device/vendor.h"
#include "device/vgpu.h"
#include "fake/fake-kernel.h"

extern const struct vgpu_interface bandwidth_interface;

/* All interfaces of the product, then this one. */
extern const struct vgpu_interface *const bandwidth_interfaces[];

/* All vendors of the product, then its own. */
extern const struct vendor *const bandwidth_vendors[];

#define BANDWIDTH_CARD "0000:65:00.0"
#define BANDWIDTH_MACHINE                                                                          \
    "pci " BANDWIDTH_CARD " driver hose\n"                                                         \
    "pci 0000:65:00.1 driver hose physfn " BANDWIDTH_CARD "\n"                                     \
    "pci 0000:65:00.2 driver hose physfn " BANDWIDTH_CARD "\n"                                     \
    "pci 0000:65:00.3 driver hose physfn " BANDWIDTH_CARD "\n"

/* Adds the files of the card's driver. Its types are share-25, share-50 and share-100. */
void bandwidth_put(const struct fake_kernel *fake);

/* What a function has, in percent. */
unsigned bandwidth_of(const struct fake_kernel *fake, const char *function);
