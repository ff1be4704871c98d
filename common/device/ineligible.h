/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * ineligible: a PCI device that a domain wants as a vGPU, but on which none can be made: why.
 *
 * The reason is looked up only for devices that a request names. It is kept in the inventory, from
 * which reason.h words the refusal.
 */

#pragma once

#include "device/inventory.h"

/* Writes why no vGPU can be made on a device, which may also be absent: "which ..." or "of which
 * ...", to follow the device's name. */
void ineligible_explain(const struct host *host, const struct name *device, char *text,
                        size_t size) NONNULL;

/* Adds a device and the reason to an inventory, unless it is a parent there. */
void ineligible_add(const struct host *host, const struct name *device,
                    struct inventory *inventory) NONNULL;
