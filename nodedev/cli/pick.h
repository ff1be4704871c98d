/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pick: which of several devices a person means by what was typed.
 *
 * A device has a name: a PCI address, a UUID, or another word ("mtty"). A PCI address may be typed
 * without its domain, "3b:00.0" for 0000:3b:00.0, as lspci(8) prints it, if only one of the devices
 * has the rest.
 */

#pragma once

#include "base/error.h"
#include "base/names.h"

/*
 * *ret is the one that is meant, in the kernel's spelling. -ENOENT: it is none of them, and error
 * is the caller's to fill; -ENOTUNIQ with a line in error that names all that it could be.
 */
int pick_name(const struct names *from, const char *word, struct name *ret,
              struct error *error) CHECKED NONNULL;
