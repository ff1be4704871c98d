/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * ineligible: why no vGPU can be made on a PCI device that a domain wants as a vGPU.
 *
 * The reason is looked up only for devices that a request names. It is kept in the inventory, and a
 * refusal takes its words from there.
 */

#pragma once

#include "device/inventory.h"

/* Writes why no vGPU can be made on a device, which may also be absent. The text follows the
 * device's name: "which ..." or "of which ...". */
void ineligible_explain(const struct host *host, const struct name *device, char *text,
                        size_t size) NONNULL;

/* Adds a device and the reason to an inventory, unless it is a parent there. */
void ineligible_add(const struct host *host, const struct name *device,
                    struct inventory *inventory) NONNULL;
