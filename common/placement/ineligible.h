/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stranger: a PCI device that a domain wants as vGPU, and that takes none here: why.
 *
 * It is looked for only once such a device is named, and goes into the inventory, for reason.h to
 * speak of.
 */

#pragma once

#include "placement/demand.h"

/* Why a device, which need not be there, takes no vGPU: "which ..." or "of which ...". */
void stranger_explain(const struct host *host, const struct name *device, char *text,
                      size_t size) NONNULL;

/* Adds those that the demands name and the inventory does not know. -ENOMEM. */
int stranger_add_all(const struct host *host, const struct demands *demands,
                     struct inventory *inventory) CHECKED NONNULL;
