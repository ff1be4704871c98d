/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * ineligible: a PCI device that a domain wants as vGPU, and that takes none here: why.
 *
 * It is looked for only once such a device is named, and goes into the inventory, for reason.h to
 * speak of.
 */

#pragma once

#include "device/inventory.h"

/* Why a device, which need not be there, takes no vGPU: "which ..." or "of which ...". */
void ineligible_explain(const struct host *host, const struct name *device, char *text,
                        size_t size) NONNULL;

/* Adds a device, unless it is a parent that the inventory knows. -ENOMEM. */
int ineligible_add(const struct host *host, const struct name *device,
                   struct inventory *inventory) CHECKED NONNULL;
