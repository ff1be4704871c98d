/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pick: finds the device that a person means.
 *
 * A device has a name: a PCI address, a UUID, or another word ("mtty"). A PCI address may be typed
 * without its domain, as lspci(8) prints it: "3b:00.0" for 0000:3b:00.0. This works if only one
 * device has the rest of the address.
 */

#pragma once

#include "base/error.h"
#include "base/names.h"

/*
 * *ret gets the device's name in the kernel's spelling. Returns -ENOENT if there is no such device;
 * the caller fills in error. Returns -ENOTUNIQ with a line in error that names all devices that may
 * be meant.
 */
int pick_name(const struct names *from, const char *word, struct name *ret,
              struct error *error) CHECKED NONNULL;
